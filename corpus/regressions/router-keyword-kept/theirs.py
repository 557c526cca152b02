class Layer:
    def _forward_mlp(self, hidden, mask):
        scores = self.router(hidden, padding_mask=mask)
        return self.mlp(hidden, scores)
