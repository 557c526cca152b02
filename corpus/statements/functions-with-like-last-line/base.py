class Parser:
    def parse(self, text):
        result = self.tokens(text)
        return result
