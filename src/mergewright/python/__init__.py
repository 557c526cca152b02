"""The Python engine: outline, alignment, structural merge, gates."""
