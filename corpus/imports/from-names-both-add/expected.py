from app.models import Invoice, Order, Payment, User

__all__ = ["Order", "User"]
