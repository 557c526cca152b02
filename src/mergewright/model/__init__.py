"""Frozen values that every other package speaks in; no logic beyond the algebra of three versions."""
