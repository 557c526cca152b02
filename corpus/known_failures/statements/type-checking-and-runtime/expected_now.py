from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.models import User


def greet(user: "User") -> str:
    if not isinstance(user, User):
        raise TypeError(user)
    return user.name
