class Moe:
    def combine(self, hidden):
        output = self.dispatcher.combine(hidden)
        return output
