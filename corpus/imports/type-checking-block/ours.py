from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.models import User
    from app.orders import Order


def greet(user: "User") -> str:
    return f"Hello {user.name}"
