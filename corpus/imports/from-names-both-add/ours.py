from app.models import Invoice, Order, User

__all__ = ["Order", "User"]
