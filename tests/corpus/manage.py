"""Look after the golden cases: ``python -m tests.corpus.manage COMMAND [CASE…]``.

``status``  how every case stands; nothing is written.
``settle``  run the pending cases: a right one loses its ``pending`` mark, any other becomes a known
            failure with what comes out now.
``promote`` make known failures that work now ordinary cases.
``refresh`` record what comes out now for known failures; those that work now are promoted.
``demote``  turn failing cases into known failures; the right result is kept.

Without case names, every case that the command is about is meant (``demote`` needs names).
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.corpus.cases import CORPUS, KNOWN, Case, find
from tests.corpus.running import (
    Result,
    TreeResult,
    build_case,
    ideal_of,
    judge,
    judge_tree,
    run_file,
    run_tree,
)


def _say(text: str) -> None:
    print(text)  # noqa: T201 - a command's own output


def _git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=CORPUS.parent, check=True, stdout=subprocess.DEVNULL)


def _move(case: Case, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    _git("add", "--", str(case.folder))
    _git("mv", "-k", str(case.folder), str(target))
    if case.folder.exists():
        raise SystemExit(f"could not move {case.folder} to {target}")


def _rename(folder: Path, stem: str, new: str) -> None:
    for path in folder.iterdir():
        head, dot, tail = path.name.partition(".")
        if head == stem:
            path.rename(folder / f"{new}{dot}{tail}")


def _edit_yaml(folder: Path, *, drop: tuple[str, ...] = (), now: str | None = None) -> None:
    path = folder / "case.yaml"
    text = path.read_text(encoding="utf-8")
    for key in (*drop, *(["now"] if now else [])):
        text = re.sub(rf"(?m)^{key}:.*\n", "", text)
    if now:
        text = re.sub(r"(?m)^(outcome:.*\n)", rf"\g<1>now: {now}\n", text)
    path.write_text(text, encoding="utf-8")


def _write_now(folder: Path, result: Result | TreeResult, suffix: str) -> None:
    if isinstance(result, TreeResult):
        target = folder / "expected_now"
        if target.exists():
            shutil.rmtree(target)
        for name, data in result.files.items():
            if data is not None:
                (target / name).parent.mkdir(parents=True, exist_ok=True)
                (target / name).write_bytes(data)
        return
    for path in folder.iterdir():
        if path.name.partition(".")[0] == "expected_now":
            path.unlink()
    if result.data is not None:
        (folder / f"expected_now{suffix}").write_bytes(result.data)


def _suffix(case: Case) -> str:
    if case.form != "file":
        return ""
    path = case.file("ours") or case.file("theirs")
    assert path is not None
    return path.name.removeprefix(path.name.partition(".")[0])


def _promote(case: Case) -> None:
    target = CORPUS / case.name
    _move(case, target)
    for path in target.iterdir():
        if path.is_dir() and path.name == "expected_now":
            shutil.rmtree(path)
        elif path.name.partition(".")[0] == "expected_now":
            path.unlink()
    _rename(target, "expected_ideal", "expected")
    _edit_yaml(target, drop=("now", "pending"))
    _git("add", "-A", "--", str(target))


def _demote(case: Case, result: Result | TreeResult, verdict: str) -> None:
    target = CORPUS / KNOWN / case.name
    suffix = _suffix(case)
    _move(case, target)
    _rename(target, "expected", "expected_ideal")
    _write_now(target, result, suffix)
    _edit_yaml(target, drop=("pending",), now=verdict)
    _git("add", "-A", "--", str(target))


def _run(case: Case) -> tuple[str, Result | TreeResult, object] | None:
    """The judgement, the result and what is open; ``None`` while there is no engine."""
    if case.form == "file":
        result = run_file(case)
        if result is None:
            return None
        return judge(case, result, case.data(case.ideal_stem)), result, list(result.open)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "r"
        ideal = ideal_of(case, build_case(case, folder))
        merged = run_tree(case, folder, list(ideal))
        return judge_tree(merged, ideal, moves=case.form == "tree"), merged, merged.open


def main(arguments: list[str] | None = None) -> int:
    """Run one command; 1 when an ordinary case fails, or a named one cannot be handled."""
    assert __doc__
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("command", choices=["status", "settle", "promote", "refresh", "demote"])
    parser.add_argument("cases", nargs="*", help="topic/case, or a topic")
    options = parser.parse_args(arguments)
    if options.command == "demote" and not options.cases:
        parser.error("demote needs the names of cases")
    chosen = [
        case
        for case in find()
        if not options.cases
        or any(case.name == name or case.name.startswith(name + "/") for name in options.cases)
    ]
    counts: Counter[str] = Counter()
    failed = False
    for case in chosen:
        try:
            ran = _run(case)
        except Exception as error:  # noqa: BLE001 - a crash is a finding about the engine
            _say(f"CRASH    {case.name}: {type(error).__name__}: {error}")
            counts["crash"] += 1
            failed = True
            continue
        if ran is None:
            counts["no engine yet"] += 1
            continue
        verdict, result, opened = ran
        was = "pending" if case.about.pending else "known" if case.known else "case"
        counts[f"{was}: {verdict}"] += 1
        recorded = case.known and verdict == case.about.now
        if verdict != "right" and not (recorded and options.command == "status"):
            _say(f"{verdict:8} {was:8} {case.name}  {opened}")
        if was == "case":
            if verdict != "right" and options.command == "demote":
                _demote(case, result, verdict)
            failed |= verdict != "right" and options.command != "demote"
        elif was == "pending" and options.command == "settle":
            if verdict == "right":
                _edit_yaml(case.folder, drop=("pending",))
            else:
                _demote(case, result, verdict)
        elif was == "known" and verdict == "right" and options.command in ("promote", "refresh"):
            _say(f"promoted {case.name}")
            _promote(case)
        elif was == "known" and options.command == "refresh":
            _write_now(case.folder, result, _suffix(case))
            _edit_yaml(case.folder, now=verdict)
            _git("add", "-A", "--", str(case.folder))
    for name, count in sorted(counts.items()):
        sys.stderr.write(f"{count:5} {name}\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
