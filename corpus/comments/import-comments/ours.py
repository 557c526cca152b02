from shop import (
    Basket,  # the old name
    Cart,  # noqa: F401
    Item,
)
