label = (
    crate.name
    or crate.mark
    # Old crates have neither;
    # their number is on the lid.
    or crate.lid
)
