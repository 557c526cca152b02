def draw(canvas):
    canvas.line(start, end, tint="red")
