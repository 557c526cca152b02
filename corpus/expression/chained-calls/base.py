def report(frame):
    return (
        frame.dropna()
        .groupby("region")
        .agg("sum")
        .sort_values("total")
    )
