def report(frame):
    return (
        frame.dropna()
        .assign(total=lambda f: f.price * f.count)
        .groupby("region")
        .agg("sum")
        .sort_values("total")
    )
