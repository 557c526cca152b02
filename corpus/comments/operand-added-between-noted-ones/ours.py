ready = (
    crate.sealed  # by us
    and crate.seen
    and not crate.late  # by them
    and crate.paid  # in full
)
