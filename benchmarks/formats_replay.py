"""The merges by format on real merges, beside ``git merge-file`` and mergiraf.

Every non-Python path that git leaves conflicted in the merges named by the manifests is merged by
the format's engine, by git's line merge and by mergiraf, and compared with what the merge commit
(or, where the manifest names one, the accepted commit) holds:

correct  clean and equal: as data for TOML, JSON, YAML and INI, else as text up to blank lines
order    clean, and the same lines in another order
extra    clean, and different only in lines that at most one side had changed and that hold that side's
         change: whoever merged edited further there, which no tool can know
wrong    clean and different otherwise: a line of neither side, a line that both sides removed or that
         one side added and the result lacks, or an entry that both sides added stands twice
open     conflict left
crash    an error, or a clean result that does not parse

Usage: python benchmarks/formats_replay.py MANIFESTS REPOS [--out CASES.jsonl]

MANIFESTS is a folder of ``*.jsonl`` (fields ``merge``, ``p1``, ``p2``, ``accepted``), REPOS a folder
with ``<owner>+<name>/repo`` for each manifest. Repositories are read only: git writes into a scratch
store beside them.
"""

from __future__ import annotations

import argparse
import configparser
import difflib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from mergewright.formats import FormatKind, kind_of
from mergewright.formats.gates import check
from mergewright.model.threeway import ThreeWay
from mergewright.resolve.engines import merge_file

TIMEOUT = 60
VERDICTS = ("correct", "order", "extra", "wrong", "open", "crash")


@dataclass(frozen=True)
class Case:
    """A conflicted path of a merge: three texts and the accepted one."""

    repo: str
    merge: str
    path: str
    versions: ThreeWay[bytes | None]
    truth: bytes


def cases(manifest: Path, repo: Path, scratch: Path) -> Iterator[Case]:
    """The conflicted paths of one manifest's merges, Python files left out."""
    merges = {}
    for line in manifest.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        merges[row["merge"]] = row
    store = scratch / manifest.stem
    subprocess.run(["git", "init", "-q", "--bare", store], check=True)
    (store / "objects/info/alternates").write_text(f"{(repo / 'objects').resolve()}\n")
    env = {**os.environ, "GIT_DIR": str(store), "GIT_CONFIG_GLOBAL": os.devnull,
           "GIT_CONFIG_NOSYSTEM": "1", "GIT_NO_LAZY_FETCH": "1"}  # fmt: skip
    reader = subprocess.Popen(
        ["git", "cat-file", "--batch"], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert reader.stdin is not None
    assert reader.stdout is not None

    def blob(name: str) -> bytes | None:
        assert reader.stdin is not None
        assert reader.stdout is not None
        reader.stdin.write(f"{name}\n".encode("utf-8", "surrogateescape"))
        reader.stdin.flush()
        header = reader.stdout.readline().split()
        if header[-1] == b"missing" or header[1] != b"blob":
            return None
        data = reader.stdout.read(int(header[2]))
        reader.stdout.read(1)
        return data

    for merge, row in merges.items():
        run = subprocess.run(
            ["git", "merge-tree", "--write-tree", "-z", row["p1"], row["p2"]],
            env=env, capture_output=True, check=False,
        )  # fmt: skip
        if run.returncode not in (0, 1):
            print(f"{manifest.stem} {merge[:12]}: {run.stderr[:100]!r}", file=sys.stderr)
            continue
        stages: dict[str, dict[int, str]] = defaultdict(dict)
        for part in run.stdout.split(b"\0")[1:]:
            if not part:
                break
            meta, path = part.split(b"\t", 1)
            _, oid, stage = meta.split()
            stages[path.decode("utf-8", "surrogateescape")][int(stage)] = oid.decode()
        for path, oids in stages.items():
            if path.endswith(".py") or not {2, 3} <= set(oids) or "\n" in path:
                continue
            truth = blob(f"{row.get('accepted', merge)}:{path}")
            if truth is None:
                continue
            texts = ThreeWay(
                base=blob(oids[1]) if 1 in oids else None, ours=blob(oids[2]), theirs=blob(oids[3])
            )
            yield Case(manifest.stem, merge, path, texts, truth)
    reader.stdin.close()
    reader.wait()


def data_of(kind: FormatKind | None, text: bytes) -> object:
    """What a text says: data for the formats that hold some, else its lines without blank ones."""
    try:
        shown = text.decode("utf-8")
        if kind is FormatKind.TOML:
            return tomllib.loads(shown)
        if kind in {FormatKind.JSON, FormatKind.GOLDEN, FormatKind.NOTEBOOK}:
            return json.loads(shown)
        if kind is FormatKind.YAML:
            return list(YAML(typ="safe", pure=True).load_all(io.StringIO(shown)))
        if kind is FormatKind.INI:
            parser = configparser.RawConfigParser(strict=True, allow_no_value=True)
            parser.read_string(shown)
            return {
                name: {key: (value or "").split() for key, value in parser.items(name)}
                for name in parser.sections()
            }
    except (ValueError, YAMLError, configparser.Error, RecursionError):
        if kind is not None:
            raise
    return [line.rstrip() for line in text.split(b"\n") if line.strip()]


def lines_of(text: bytes | None) -> list[str]:
    """The lines that say something, whatever their blanks."""
    lines = (text or b"").decode("utf-8", "replace").split("\n")
    return [" ".join(line.split()) for line in lines if any(map(str.isalnum, line))]


def only_further(versions: ThreeWay[bytes | None], result: bytes, truth: bytes) -> bool:
    """Whether the accepted text differs only in what at most one side had changed."""
    given, accepted = lines_of(result), lines_of(truth)
    base, ours, theirs = (Counter(lines_of(text)) for text in versions)
    here, there = Counter(given), Counter(accepted)
    matcher = difflib.SequenceMatcher(None, given, accepted, autojunk=False)
    for tag, i, j, m, n in matcher.get_opcodes():
        if tag == "equal":
            continue
        # A line that only moved is no difference of content.
        for line in (x for x in given[i:j] if here[x] > there[x]):
            if not ours[line] and not theirs[line]:
                return False
            if ours[line] < base[line] and theirs[line] < base[line]:
                return False
            if not base[line] and 0 < ours[line] < here[line] > theirs[line] > 0:
                return False
        for line in (x for x in accepted[m:n] if there[x] > here[x]):
            both = ours[line] > base[line] and theirs[line] > base[line]
            if both and here[line] < min(ours[line], theirs[line]):
                return False
            if any(base[line] < side[line] > here[line] for side in (ours, theirs)):
                return False
    return True


def judge(
    kind: FormatKind | None, result: bytes, truth: bytes, versions: ThreeWay[bytes | None]
) -> str:
    """What a clean result is worth."""
    try:
        accepted = data_of(kind, truth)
    except (ValueError, YAMLError, configparser.Error, RecursionError):
        kind = None
        accepted = data_of(None, truth)
    try:
        given = data_of(kind, result)
    except (ValueError, YAMLError, configparser.Error, RecursionError):
        return "crash"
    if given == accepted:
        return "correct"
    plain_given, plain_truth = data_of(None, result), data_of(None, truth)
    assert isinstance(plain_given, list)
    assert isinstance(plain_truth, list)
    if Counter(plain_given) == Counter(plain_truth):
        return "order"
    return "extra" if only_further(versions, result, truth) else "wrong"


def ours(case: Case) -> bytes | None:
    """Mergewright's clean result; ``None`` when something stays open."""
    result = merge_file(case.path, case.versions)
    if not result.clean:
        return None
    gates = check(case.path, result.text(), case.versions, result.decisions)
    return result.text() if all(gate.passed for gate in gates) else None


def by_command(command: list[str], case: Case, folder: Path) -> bytes | None:
    """A command's clean result on the three files; ``None`` for a conflict or an error."""
    suffix = Path(case.path).suffix
    names = {}
    for side, data in zip(("base", "ours", "theirs"), case.versions, strict=True):
        names[side] = folder / f"{side}{suffix}"
        names[side].write_bytes(data or b"")
    filled = [part.format(path=case.path, **names) for part in command]
    try:
        run = subprocess.run(filled, capture_output=True, timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        return None
    return run.stdout if run.returncode == 0 else None


def main() -> None:
    """Run and print a table a format."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("manifests", type=Path)
    parser.add_argument("repos", type=Path)
    parser.add_argument("--out", type=Path, help="a line of JSON for each path")
    parser.add_argument("--skip", action="append", default=[], help="a format to leave out")
    parser.add_argument("--no-peers", action="store_true", help="leave git and mergiraf out")
    parser.add_argument("--mergiraf", default=shutil.which("mergiraf") or "")
    options = parser.parse_args()
    tools = {"mergewright": None}
    if not options.no_peers:
        tools["git"] = ["git", "merge-file", "-p", "{ours}", "{base}", "{theirs}"]
        if options.mergiraf:
            tools["mergiraf"] = [
                options.mergiraf, "merge", "{base}", "{ours}", "{theirs}", "-p", "{path}",
            ]  # fmt: skip
    table: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    seconds: Counter[str] = Counter()
    lines = []
    with tempfile.TemporaryDirectory() as temporary:
        scratch = Path(temporary)
        for manifest in sorted(options.manifests.glob("*.jsonl")):
            repo = options.repos / manifest.stem / "repo"
            if not repo.is_dir():
                print(f"{repo} is not there", file=sys.stderr)
                continue
            for case in cases(manifest, repo, scratch):
                kind = kind_of(case.path)
                if str(kind) in options.skip:
                    continue
                row = {"repo": case.repo, "merge": case.merge, "path": case.path, "kind": kind}
                for tool, command in tools.items():
                    start = time.perf_counter()
                    try:
                        result = (
                            ours(case) if command is None else by_command(command, case, scratch)
                        )
                        verdict = (
                            "open"
                            if result is None
                            else judge(kind, result, case.truth, case.versions)
                        )
                    except Exception as error:  # noqa: BLE001 - a crash is a result to count
                        verdict = "crash"
                        row[f"{tool}-error"] = f"{type(error).__name__}: {error}"
                    seconds[tool] += time.perf_counter() - start
                    row[tool] = verdict
                    table[str(kind or "other")][tool][verdict] += 1
                    table["all"][tool][verdict] += 1
                lines.append(json.dumps(row))
    if options.out:
        options.out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{'format':14}{'tool':13}{'paths':>6}" + "".join(f"{v:>9}" for v in VERDICTS))
    for kind in [*sorted(set(table) - {"all"}), "all"]:
        for tool, counts in table[kind].items():
            total = sum(counts.values())
            print(f"{kind:14}{tool:13}{total:>6}" + "".join(f"{counts[v]:>9}" for v in VERDICTS))
    print("seconds: " + ", ".join(f"{tool} {spent:.0f}" for tool, spent in seconds.items()))


if __name__ == "__main__":
    main()
