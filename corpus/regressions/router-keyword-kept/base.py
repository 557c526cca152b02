class Layer:
    def _forward_mlp(self, hidden, mask):
        scores = self.router(hidden)
        return self.mlp(hidden, scores)
