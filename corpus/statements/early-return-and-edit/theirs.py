def publish(post):
    if post.ready:
        post.render()
        post.send(retries=2)
