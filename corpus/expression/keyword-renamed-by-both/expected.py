def draw(canvas):
<<<<<<< ours
    canvas.line(start, end, colour="red")
||||||| base
    canvas.line(start, end, color="red")
=======
    canvas.line(start, end, tint="red")
>>>>>>> theirs
