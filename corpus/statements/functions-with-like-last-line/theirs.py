class Parser:
    def parse(self, text):
        result = self.tokens(text)
        return result

    def parse_lines(self, lines):
        result = [self.parse(line) for line in lines]
        return result
