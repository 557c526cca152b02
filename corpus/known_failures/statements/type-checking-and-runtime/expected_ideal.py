from typing import TYPE_CHECKING

<<<<<<< ours
if TYPE_CHECKING:
    from app.models import User
||||||| base
from app.models import User
=======
from app.models import User
>>>>>>> theirs


def greet(user: "User") -> str:
    if not isinstance(user, User):
        raise TypeError(user)
    return user.name
