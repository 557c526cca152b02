class Moe:
    def combine(self, hidden):
        output = self.dispatcher.combine(hidden, async_finish=True)
        return output
