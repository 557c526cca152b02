def register(router, handlers):
    router.add("/items", handlers.items)
    router.add("/users", handlers.users, handlers.cache)
