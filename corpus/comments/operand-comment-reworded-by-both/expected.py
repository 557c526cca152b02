label = (
    crate.name
    or crate.mark
    # Old crates have neither;
<<<<<<< ours
    # the lid has the number.
||||||| base
    # their number is on the lid.
=======
    # the yard numbers their lids.
>>>>>>> theirs
    or crate.lid
)
