class Moe:
    def combine(self, hidden):
        self._record_overload_factor(hidden)
        output = self.dispatcher.combine(hidden, async_finish=True)
        return output
