def forward(self, hidden, mask):
    residual = hidden
    hidden = self.attention(hidden, mask, rotary=self.rotary)
    return residual + hidden
