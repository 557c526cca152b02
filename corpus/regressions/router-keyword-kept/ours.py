class Layer:
    def _forward_mlp(self, hidden, mask, input_ids=None):
        scores = self.router(hidden, input_ids=input_ids)
        return self.mlp(hidden, scores)
