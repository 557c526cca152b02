# Berths of the harbour, by pier.
# Since 2.1 with the outer piers.
BERTHS = load("berths")
