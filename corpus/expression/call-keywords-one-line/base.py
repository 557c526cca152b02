def forward(self, hidden, mask):
    residual = hidden
    hidden = self.attention(hidden, mask)
    return residual + hidden
