def report(frame):
<<<<<<< ours
    return (
        frame.dropna()
        .assign(total=lambda f: f.price * f.count)
        .groupby("region")
        .agg("sum")
        .sort_values("total")
    )
||||||| base
    return (
        frame.dropna()
        .groupby("region")
        .agg("sum")
        .sort_values("total")
    )
=======
    return (
        frame.dropna()
        .groupby("region")
        .agg("sum")
        .sort_values("total")
        .head(20)
    )
>>>>>>> theirs
