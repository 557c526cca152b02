class Moe:
    def combine(self, hidden):
        self._record_overload_factor(hidden)
        output = self.dispatcher.combine(hidden)
        return output
