def draw(canvas):
    canvas.line(start, end, color="red")
