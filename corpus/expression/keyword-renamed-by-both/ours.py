def draw(canvas):
    canvas.line(start, end, colour="red")
