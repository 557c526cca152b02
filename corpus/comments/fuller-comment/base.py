# Berths of the harbour.
BERTHS = load("berths")
