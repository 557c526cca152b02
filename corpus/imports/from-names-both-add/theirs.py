from app.models import Order, Payment, User

__all__ = ["Order", "User"]
