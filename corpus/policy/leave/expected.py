<<<<<<< ours
GROUPS = {"tp": 1, "cp": 1}
||||||| base
GROUPS = {"tp": 1}
=======
GROUPS = {"tp": 1, "ep": 1}
>>>>>>> theirs
