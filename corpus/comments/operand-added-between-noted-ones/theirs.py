ready = (
    crate.shut  # by us
    and not crate.late  # by them
    and crate.paid  # in full
)
