from shop import (
    Cart,  # noqa: F401
    Item,
    Order,  # noqa: F401
)
