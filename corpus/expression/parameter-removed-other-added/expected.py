def render(template, context, stream=None, *, encoding="utf-8", errors="strict"):
    text = template.render(context)
    if stream is not None:
        stream.write(text.encode(encoding))
    return text
