# Berths of the harbour, by pier.
BERTHS = load("berths")
