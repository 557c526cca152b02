from store import (
    Cart,
    InventoryItem,
    Order,
    Price,
    Quantity,
)

print(Cart, Order)
