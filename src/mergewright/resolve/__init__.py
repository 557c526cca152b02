"""The cascade: conflicts to plan. One failed path never stops the rest."""
