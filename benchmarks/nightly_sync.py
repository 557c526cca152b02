"""The nightly sync's policy shown on real syncs: each policy checked, each contested path judged.

    python benchmarks/nightly_sync.py MANIFEST REPOSITORY [--rules nightly-sync] [--mergiraf PATH]
                                      [--environment DIR] [--show wrong,open]

MANIFEST names the merges (fields ``p1``, ``p2``, ``accepted``), REPOSITORY is the bare repository. Both
are only read. The checks hold the merged tree against dev's and main's:

codeowners   .github/CODEOWNERS is dev's, byte for byte
triple       pyproject.toml, uv.lock and the Dockerfile are dev's, sources of pyproject.toml apart
overridden   the files taken from main are main's, apart from lines with the renamed argument and, where
             a rule keeps dev's uses of something or patches calls of dev's functions, lines that
             dev's file has in place of main's
lock         uv.lock is dev's, never a mixture
restored     main's files that the result misses: restored or not, with the reason

The table counts all contested paths by kind; verdicts as in ``formats_replay.py`` and, for Python, as in
``docs/replay.md``. With ``--environment``, a folder with the tools of the pack's formatting step, the
settled Python files and the accepted ones are formatted as that step does before they are compared, so that
layout is none of the difference (the checks see the files before).
"""

from __future__ import annotations

import argparse
import difflib
import json
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter, defaultdict
from functools import partial
from pathlib import Path

from formats_replay import Case, by_command, judge

from mergewright.formats import kind_of
from mergewright.git.repository import Repository
from mergewright.model.conflict import Conflict
from mergewright.model.resolution import Resolved
from mergewright.rules.loading import load_rules
from mergewright.workflows.replay.judge import Judge
from mergewright.workflows.resolving import InMemoryPlan, Settings, plan_merge
from mergewright.workflows.sources import default_sources

VERDICTS = ("correct", "order", "extra", "wrong", "open", "crash")
TRIPLE = ("pyproject.toml", "uv.lock", "docker/Dockerfile.ci.dev")
OVERRIDDEN = (
    "megatron/training/training.py",
    "megatron/training/initialize.py",
    "megatron/training/utils.py",
    "megatron/training/datasets/data_samplers.py",
    "megatron/core/optimizer/layer_wise_optimizer.py",
)
RENAMED = ("dynamic_context_parallel", "hybrid_context_parallel")
DECLARED = {"keep-uses", "restore-imports", "patch-callers"}


def without_sources(data: bytes | None) -> object:
    """A ``pyproject.toml`` as data, without its git sources."""
    value = tomllib.loads((data or b"").decode())
    value.get("tool", {}).get("uv", {}).pop("sources", None)
    return value


def checks(plan: InMemoryPlan, dev: str, main: str) -> list[str]:
    """The policies, one line each, on the merged tree."""
    objects = plan.merge.objects
    trees = {name: objects.entries(commit) for name, commit in (("dev", dev), ("main", main))}
    result = objects.entries(plan.tree())

    def text(tree: str, path: str) -> bytes | None:
        entry = (result if tree == "result" else trees[tree]).get(path)
        return None if entry is None else objects.blob(entry.oid)

    def said(name: str, good: bool, detail: str = "") -> str:  # noqa: FBT001 - a table row
        return f"  {name:11} {'holds' if good else 'FAILS'}{detail and '  '}{detail}"

    owners = ".github/CODEOWNERS"
    out = [said("codeowners", text("result", owners) == text("dev", owners))]
    lock = text("result", "uv.lock") == text("dev", "uv.lock")
    docker = text("result", TRIPLE[2]) == text("dev", TRIPLE[2])
    project = without_sources(text("result", TRIPLE[0])) == without_sources(text("dev", TRIPLE[0]))
    changed = text("result", TRIPLE[0]) != text("dev", TRIPLE[0])
    out.append(said("triple", lock and docker and project, "sources added" if changed else ""))
    out.append(said("lock", lock))
    for path in OVERRIDDEN:
        mine, theirs = text("result", path), text("main", path)
        lines = [
            line
            for line in difflib.ndiff(
                (theirs or b"").decode().splitlines(), (mine or b"").decode().splitlines()
            )
            if line[:2] in ("- ", "+ ")
        ]
        before = {line[2:] for line in lines if line[:2] == "- "}
        after = {line[2:]: line[2:].replace(*RENAMED) for line in lines if line[:2] == "+ "}
        renamed = {new: old for new, old in after.items() if old in before}
        rest = [line for line in lines if line[2:] not in {*renamed, *renamed.values()}]
        rules = {
            decision.rule
            for entry in plan.plan.paths
            if entry.path == path and isinstance(entry.outcome, Resolved)
            for decision in entry.outcome.decisions
            if decision.strategy in DECLARED
        }
        devs = {line.strip() for line in (text("dev", path) or b"").decode().splitlines()}
        added = [line for line in rest if line[:2] == "+ "]
        declared = bool(rules) and all(line[2:].strip() in devs for line in added)
        number = sum(line[:2] == "+ " and line[2:] in renamed for line in lines)
        detail = f"{path}: {number} lines renamed"
        if rest:
            detail += f", {len(added)} of dev's put in and {len(rest) - len(added)} of main's out"
            detail += f" by {', '.join(sorted(filter(None, rules)))}"
        out.append(said("overridden", not rest or declared, detail))
    missing = sorted(set(trees["main"]) - set(result))
    spoken = [*plan.plan.notes, *plan.plan.warnings]
    explained = [path for path in missing if any(note.startswith(f"{path}:") for note in spoken)]
    back = [
        entry.path
        for entry in plan.plan.paths
        if isinstance(entry.outcome, Resolved)
        and any(d.strategy == "restore-deleted" for d in entry.outcome.decisions)
    ]
    out.append(
        said(
            "restored",
            len(explained) == len(missing),
            f"{len(back)} restored, {len(missing)} of main's files are not there, "
            f"{len(explained)} with a reason",
        )
    )
    out.extend(f"    {path}: restored" for path in back[:5])
    out.extend(
        f"    {note}" for note in spoken if any(note.startswith(f"{path}:") for path in missing[:5])
    )
    return out


def kind_name(conflict: Conflict) -> str:
    """What a contested path is counted under."""
    kind = "python" if conflict.path.endswith(".py") else str(kind_of(conflict.path) or "other")
    return kind if str(conflict.kind) == "both-modified" else f"{kind}, {conflict.kind}"


def formatted(texts: dict[str, bytes], project: bytes, environment: Path) -> dict[str, bytes]:
    """Python texts after the formatters of the pack, with the project's configuration."""
    section = load_rules(["nightly-sync"]).files[0].format
    assert section is not None
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary)
        (root / "pyproject.toml").write_bytes(project)
        for path, data in texts.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(data)
        for tool in section.tools:
            if not tool.findings:
                program = str((environment / "bin" / tool.name).absolute())
                argv = [program, *tool.arguments, *texts]
                subprocess.run(argv, cwd=root, check=True, capture_output=True)
        return {path: (root / path).read_bytes() for path in texts}


def verdict(case: Case, data: bytes | None, truth: bytes | None) -> str:
    """What a settled result is worth."""
    if data is None or truth is None:
        return "correct" if data is truth else "wrong"
    if data == truth:
        return "correct"
    if case.path.endswith(".py"):
        return str(Judge(case.path, *case.versions, truth).score(data).verdict)
    return judge(kind_of(case.path), data, truth, case.versions)


def main() -> int:
    """Run and print; status 1 when a policy fails."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("manifest", type=Path)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--rules", action="append", default=[])
    parser.add_argument("--environment", type=Path)
    parser.add_argument("--show", default="", help="verdicts whose paths are listed")
    parser.add_argument("--mergiraf", default=shutil.which("mergiraf") or "")
    options = parser.parse_args()
    rows = [json.loads(line) for line in options.manifest.read_text(encoding="utf-8").splitlines()]
    merges = {row["merge"]: row for row in rows}
    listed = {(row["merge"], row["path"]) for row in rows}
    repository = Repository.open(options.repository)
    table: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    failed = False
    with tempfile.TemporaryDirectory() as temporary:
        for merge, row in merges.items():
            settings = Settings(
                rules=options.rules or ["nightly-sync"],
                sources=partial(default_sources, keep=False),
            )
            with plan_merge(repository, row["p1"], row["p2"], settings=settings) as plan:
                print(f"{merge[:12]} accepted as {row['accepted'][:12]}")
                for line in checks(plan, row["p1"], row["p2"]):
                    print(line)
                    failed |= " FAILS" in line
                accepted = repository.objects.entries(row["accepted"])
                results = {
                    entry.outcome.path: plan.text(entry.outcome.path)
                    for entry in plan.plan.paths
                    if entry.conflict is not None and isinstance(entry.outcome, Resolved)
                }
                layout: dict[str, bytes] = {}
                if options.environment:
                    python = {p: t for p, t in results.items() if t is not None and p[-3:] == ".py"}
                    tree = plan.merge.objects.entries(plan.tree())
                    project = plan.merge.objects.blob(tree["pyproject.toml"].oid)
                    results |= formatted(python, project, options.environment)
                    wanted = {
                        p: repository.objects.blob(accepted[p].oid) for p in python if p in accepted
                    }
                    layout = formatted(wanted, project, options.environment)
                for entry in plan.plan.paths:
                    if entry.conflict is None:
                        continue
                    path = entry.outcome.path
                    there = accepted.get(path)
                    truth = None if there is None else repository.objects.blob(there.oid)
                    case = Case(row["repo"], merge, path, entry.conflict.texts, truth or b"")
                    settled = isinstance(entry.outcome, Resolved)
                    of = {"git": "open"}
                    of["mergewright"] = (
                        verdict(case, results[path], layout.get(path, truth)) if settled else "open"
                    )
                    if options.mergiraf:
                        command = [
                            options.mergiraf, "merge", "{base}", "{ours}", "{theirs}", "-p", "{path}",
                        ]  # fmt: skip
                        data = None
                        if all(text is not None for text in case.versions):
                            data = by_command(command, case, Path(temporary))
                        of["mergiraf"] = "open" if data is None else verdict(case, data, truth)
                    if of["mergewright"] in options.show.split(","):
                        print(f"  {of['mergewright']:11} {path}")
                    names = [kind_name(entry.conflict), "all"]
                    if (merge, entry.path) in listed:
                        names.append("listed Python")
                    for name in names:
                        for tool, word in of.items():
                            table[name][tool][word] += 1
                sys.stdout.flush()
    print(f"{'kind':28}{'tool':13}{'paths':>6}" + "".join(f"{word:>9}" for word in VERDICTS))
    for name in [*sorted(set(table) - {"all", "listed Python"}), "all", "listed Python"]:
        for tool, counts in sorted(table[name].items()):
            shown = "".join(f"{counts[word]:>9}" for word in VERDICTS)
            print(f"{name:28}{tool:13}{sum(counts.values()):>6}{shown}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
