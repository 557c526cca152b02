def download(url: str, target: Path, *, timeout: float = 30.0) -> Path:
    """Fetch a file."""
    return _fetch(url, target, timeout)
