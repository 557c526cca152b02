def forward(self, hidden, mask):
    residual = hidden
    hidden = self.attention(hidden, mask, rotary=self.rotary, packed=self.packed)
    return residual + hidden
