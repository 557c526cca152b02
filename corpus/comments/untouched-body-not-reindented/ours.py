class Shape:
    def area(self):
        return 0.0

    # The outline, not the area.

    def outline(self):
        total = 0
        for edge in self.edges:
            total += edge
        return total
