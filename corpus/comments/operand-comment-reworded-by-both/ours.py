label = (
    crate.name
    or crate.mark
    # Old crates have neither;
    # the lid has the number.
    or crate.lid
)
