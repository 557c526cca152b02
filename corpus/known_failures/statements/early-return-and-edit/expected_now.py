def publish(post):
    if not post.ready:
<<<<<<< ours
        return
||||||| base
        post.render()
        post.send()
=======
        post.render()
        post.send(retries=2)
>>>>>>> theirs
    post.render()
    post.send()
