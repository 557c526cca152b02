def render(template, context, escape, stream=None, *, encoding="utf-8"):
    text = template.render(context)
    if stream is not None:
        stream.write(text.encode(encoding))
    return text
