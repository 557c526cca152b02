<<<<<<< ours
||||||| base
from .a import A
=======
from .a import A, B
>>>>>>> theirs
