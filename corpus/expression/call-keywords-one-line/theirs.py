def forward(self, hidden, mask):
    residual = hidden
    hidden = self.attention(hidden, mask, packed=self.packed)
    return residual + hidden
