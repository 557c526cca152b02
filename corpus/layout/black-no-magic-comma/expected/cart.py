from store import Cart, Item, Order, Price

print(Cart, Order)
