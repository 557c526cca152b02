"""Our results on the Python files that weave counts as its wins, beside weave's own.

weave's repository keeps, for some merges of other projects, the files that a line merge left open and
weave settled ("wins"): ``benchmarks/*/results.json`` lists them, a folder each holds ``base``, ``ours``,
``theirs``, ``weave`` (its result) and ``human`` (the accepted one). They are not part of this repository.
Get weave's (github.com/Ataraxy-Labs/weave) as a clone, bare or not, anywhere outside of it, then::

    python benchmarks/weave_wins.py PATH/TO/weave --repos DIR

DIR holds bare clones as ``owner+name`` or ``owner/name``; where one has the merge, the texts are taken
from its blobs and held against the stored ones. The words are those of the replay's judge. Beside them it
is said what weave's result breaks: it does not parse, fails a gate, loses what one side did. Exit status 1
when a result of ours is wrong or damaged where weave's is wrong, 2 when there are no wins.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pygit2

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "src"))

from mergewright.model.resolution import Deferred, Resolved  # noqa: E402 - from this checkout
from mergewright.model.threeway import ThreeWay  # noqa: E402
from mergewright.python import gates  # noqa: E402
from mergewright.workflows.replay.judge import Judge, Verdict  # noqa: E402
from mergewright.workflows.texts import merge_texts  # noqa: E402

#: The projects by the name of their folder.
PROJECTS = {"flask": "pallets/flask", "cpython": "python/cpython"}
PARTS = ("base", "ours", "theirs", "weave", "human")


@dataclass(frozen=True, kw_only=True)
class Win:
    """One file that weave settled."""

    project: str
    commit: str
    path: str
    texts: dict[str, bytes]
    source: str

    @property
    def versions(self) -> ThreeWay[bytes | None]:
        """Base, ours, theirs."""
        return ThreeWay(
            base=self.texts["base"], ours=self.texts["ours"], theirs=self.texts["theirs"]
        )


def wins(weave: Path, repos: Path | None) -> Iterator[Win]:
    """The saved wins that are Python files."""
    repository = pygit2.Repository(str(weave))
    root = repository.revparse_single("HEAD").peel(pygit2.Tree)

    def read(path: str) -> bytes | None:
        try:
            found = root[path]
        except KeyError:
            return None
        return bytes(found.data) if isinstance(found, pygit2.Blob) else None

    benchmarks = root["benchmarks"]
    assert isinstance(benchmarks, pygit2.Tree)
    for folder in benchmarks:
        listed = read(f"benchmarks/{folder.name}/results.json")
        for case in json.loads(listed)["cases"] if listed else []:
            if not case["file"].endswith(".py"):
                continue
            at = f"benchmarks/{folder.name}/{case['dir']}"
            texts = {part: data for part in PARTS if (data := read(f"{at}/{part}")) is not None}
            source = "stored texts"
            clone = _clone(repos, PROJECTS.get(folder.name or "", ""))
            if clone is not None:
                source = _held_against(clone, case["commit"], case["file"], texts)
            if len(texts) == len(PARTS):
                yield Win(
                    project=str(folder.name),
                    commit=case["commit"],
                    path=case["file"],
                    texts=texts,
                    source=source,
                )
            else:
                sys.stderr.write(f"{at}: texts are missing\n")


def _clone(repos: Path | None, name: str) -> pygit2.Repository | None:
    owner, _, short = name.partition("/")
    for place in (f"{owner}+{short}/repo", f"{owner}+{short}", f"{owner}/{short}"):
        if repos is not None and short and (repos / place).is_dir():
            return pygit2.Repository(str(repos / place))
    return None


def _held_against(clone: pygit2.Repository, commit: str, path: str, texts: dict[str, bytes]) -> str:
    """Compare the stored texts with the merge's blobs, and fill in those that are not stored."""
    try:
        merge = clone[commit]
        assert isinstance(merge, pygit2.Commit)
        ours, theirs = merge.parents
        base = clone.merge_base(ours.id, theirs.id)
        assert base is not None
        commits = {"base": clone[base], "ours": ours, "theirs": theirs, "human": merge}
        blobs = {part: bytes(found.peel(pygit2.Tree)[path].data) for part, found in commits.items()}  # type: ignore[union-attr]
    except (KeyError, ValueError):
        return "stored texts (the clone has not all of the merge)"
    differing = [part for part in blobs if texts.setdefault(part, blobs[part]) != blobs[part]]
    return f"stored texts, other than the blobs: {', '.join(differing)}" if differing else "blobs"


def broken(win: Win, data: bytes) -> list[str]:
    """What a clean result breaks, by our gates, which know nothing of who made it."""
    results = gates.check(win.path, data, win.versions)
    return [f"{g.gate}: {g.detail}".removesuffix(": ") for g in results if not g.passed]


def main(arguments: list[str] | None = None) -> int:
    """Run all wins; see above for the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("weave", type=Path, help="weave's repository")
    parser.add_argument("--repos", type=Path, help="clones of the projects that were merged")
    parser.add_argument("--output", type=Path, help="write our results here, for reading")
    options = parser.parse_args(arguments)
    table: Counter[tuple[str, str]] = Counter()
    exact: Counter[str] = Counter()
    bad = 0
    for win in wins(options.weave, options.repos):
        texts = win.texts
        judge = Judge(win.path, texts["base"], texts["ours"], texts["theirs"], texts["human"])
        outcome = merge_texts(win.versions, path=win.path)
        data = outcome.data if isinstance(outcome, (Resolved, Deferred)) else None
        ours, weave = judge.score(data), judge.score(texts["weave"])
        table[weave.verdict, ours.verdict] += 1
        exact["weave"] += weave.exact
        exact["ours"] += ours.exact
        name = f"{win.project} {win.commit[:8]} {win.path}"
        print(f"{name}\n  texts: {win.source}")
        for who, score, text in (("weave", weave, texts["weave"]), ("ours", ours, data or b"")):
            words = [f"{score.hunks} places open" if score.hunks else "exact" * score.exact]
            words += [f"damaged: {', '.join(score.damaged[:5])}"] if score.damaged else []
            words += [f"differs in {', '.join(score.differing[:5])}"] if score.differing else []
            if not score.hunks:
                words += broken(win, text)
            print(f"  {who:5} {score.verdict:8} {'; '.join(filter(None, words))}")
        weave_wrong = weave.verdict in {Verdict.WRONG, Verdict.CRASH}
        bad += weave_wrong and ours.verdict in {Verdict.WRONG, Verdict.CRASH}
        if options.output and data is not None:
            options.output.mkdir(parents=True, exist_ok=True)
            (options.output / f"{win.commit[:8]}_{Path(win.path).name}").write_bytes(data)
    if not table:
        print(f"no saved wins in {options.weave}", file=sys.stderr)
        return 2
    print(
        f"\n{table.total()} wins; equal to the accepted text: weave {exact['weave']}, ours {exact['ours']}"
    )
    for (weave_verdict, our_verdict), count in sorted(table.items()):
        print(f"{count:4} weave {weave_verdict:8} ours {our_verdict}")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
