from typing import TYPE_CHECKING

from app.models import User


def greet(user: "User") -> str:
    return user.name
