class Layer:
    def _forward_mlp(self, hidden, mask, input_ids=None):
        scores = self.router(hidden, input_ids=input_ids, padding_mask=mask)
        return self.mlp(hidden, scores)
