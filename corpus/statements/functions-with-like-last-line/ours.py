class Parser:
    def parse(self, text):
        result = self.tokens(text)
        return result

    def parse_file(self, path):
        result = self.parse(path.read_text())
        return result
