class TEFusedMLP(FusedModule):
    def forward(self, hidden):
        return self.fc2(self.act(self.fc1(hidden)))

    @classmethod
    def as_mlp_submodule(cls, submodules):
        return ModuleSpec(module=cls, submodules=submodules)
