class TEFusedMLP(FusedModule):
    def forward(self, hidden):
        return self.fc2(self.act(self.fc1(hidden)))
