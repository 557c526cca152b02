from app.models import Order, User

__all__ = ["Order", "User"]
