<<<<<<< ours
from ..utils import chunked
||||||| base
from .utils import chunked
=======
from .utils import chunked, windowed
>>>>>>> theirs

PAIRS = list(windowed(chunked(range(8), 2), 2))
