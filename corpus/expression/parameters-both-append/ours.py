def download(url: str, target: Path, *, timeout: float = 30.0, retries: int = 3) -> Path:
    """Fetch a file."""
    return _fetch(url, target, timeout)
