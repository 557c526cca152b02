def publish(post):
    if not post.ready:
        return
    post.render()
    post.send()
