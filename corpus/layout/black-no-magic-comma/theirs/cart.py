from store import (
    Cart,
    InventoryItem,
    Order,
    Price,
)

print(Cart, Order)
