__all__ = (
    "read_csv",
    "read_json",
    "read_parquet",
    "read_table",
)
