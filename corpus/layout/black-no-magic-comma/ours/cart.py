from store import Cart, Item, Order, Price, Quantity

print(Cart, Order)
