class FusedMLP(MLP):
    """A fused multi-layer perceptron."""

    def __init__(self, config, submodules):
        super().__init__(config, submodules)
        self._fused_impl = None

    def forward(self, hidden):
        if self._fused_impl is None:
            self._fused_impl = self._make(self.config)
        return self._fused_impl(hidden)


class FusedDenseMLP(FusedMLP):
    """The fused perceptron without experts, by grouped multiplication."""

    def forward(self, hidden):
        return self._grouped(hidden)
