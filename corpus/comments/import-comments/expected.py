from shop import (
    Basket,  # the old name
    Cart,  # noqa: F401
    Item,
    Order,  # noqa: F401
)
