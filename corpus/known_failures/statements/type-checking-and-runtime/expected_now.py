from typing import TYPE_CHECKING

<<<<<<< ours
if TYPE_CHECKING:
    from app.models import User


def greet(user: "User") -> str:
||||||| base
from app.models import User


def greet(user: "User") -> str:
=======
from app.models import User


def greet(user: "User") -> str:
    if not isinstance(user, User):
        raise TypeError(user)
>>>>>>> theirs
    return user.name
