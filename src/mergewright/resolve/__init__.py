"""The cascade that turns conflicts into a plan."""
