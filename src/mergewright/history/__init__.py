"""Which side already contains the other's work: graph, lineage, twins, decision memory."""
