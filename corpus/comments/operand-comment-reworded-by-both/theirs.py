label = (
    crate.name
    or crate.mark
    # Old crates have neither;
    # the yard numbers their lids.
    or crate.lid
)
