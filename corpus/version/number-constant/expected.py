<<<<<<< ours
SCHEMA_VERSION = 7
||||||| base
SCHEMA_VERSION = 6
=======
SCHEMA_VERSION = 8
>>>>>>> theirs
