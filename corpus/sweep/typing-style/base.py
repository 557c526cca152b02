from typing import Dict, List, Optional


def index(rows: List[str], key: Optional[str] = None) -> Dict[str, List[str]]:
    return group(rows, key)


def names(rows: List[str]) -> Optional[List[str]]:
    return sorted(rows) or None
