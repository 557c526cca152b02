def register(router, handlers):
    router.add("/items", handlers.items)
<<<<<<< ours
    router.add("/users", handlers.users, handlers.auth)
||||||| base
    router.add("/users", handlers.users)
=======
    router.add("/users", handlers.users, handlers.cache)
>>>>>>> theirs
