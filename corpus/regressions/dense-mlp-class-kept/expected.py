class FusedMLP(MLP):
    """A fused multi-layer perceptron."""

    def __init__(self, config, submodules, name=None):
        super().__init__(config, submodules)
        self.name = name
        self._fused_impl = None

    @classmethod
    def as_mlp_submodule(cls, submodules):
        """A specification that builds this class."""
        return ModuleSpec(module=cls, submodules=submodules)

    def forward(self, hidden):
        if self._fused_impl is None:
            self._fused_impl = self._make(self.config, self.name)
        return self._fused_impl(hidden)


class FusedDenseMLP(FusedMLP):
    """The fused perceptron without experts, by grouped multiplication."""

    def forward(self, hidden):
        return self._grouped(hidden)
