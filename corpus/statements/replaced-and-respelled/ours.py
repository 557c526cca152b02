def label(ship):
    text = render(ship)
    trace.emit(text)
    return text
