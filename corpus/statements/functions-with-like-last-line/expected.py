class Parser:
    def parse(self, text):
        result = self.tokens(text)
        return result

    def parse_file(self, path):
        result = self.parse(path.read_text())
        return result

    def parse_lines(self, lines):
        result = [self.parse(line) for line in lines]
        return result
