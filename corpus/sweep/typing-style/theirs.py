from typing import Dict, List, Optional


def index(rows: List[str], key: Optional[str] = None, *, strict: bool = False) -> Dict[str, List[str]]:
    return group(rows, key, strict)


def names(rows: List[str]) -> Optional[List[str]]:
    return sorted(rows) or None
