"""A whole replay as one call: what is asked for in, the judged rows and the report out."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mergewright.git.repository import Repository
from mergewright.model.errors import UsageError
from mergewright.rules import RULE_FILE_NAME
from mergewright.workflows.replay.attempts import source_version
from mergewright.workflows.replay.blobs import git_directory
from mergewright.workflows.replay.cases import Collection
from mergewright.workflows.replay.document import document
from mergewright.workflows.replay.jobs import Tool
from mergewright.workflows.replay.manifest import read_manifests
from mergewright.workflows.replay.peers import choose_peers
from mergewright.workflows.replay.running import START_LIMIT, close_children
from mergewright.workflows.replay.running import look as look_in_child
from mergewright.workflows.replay.scanning import (
    Exclusions,
    Filter,
    Found,
    Landing,
    Scan,
    collect,
    found_from_json,
    listed_landings,
    merge_landings,
    pull_landings,
)
from mergewright.workflows.replay.session import (
    Progress,
    Row,
    Settings,
    rows,
    run,
    take_sample,
)
from mergewright.workflows.replay.store import Store

#: How our own tool is called in reports.
OWN = "mergewright"

#: Landings that are looked into together, for each job.
BATCH = 8

#: Finds the pull requests of a repository by itself.
PULLS_FROM_HISTORY = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is to be replayed, and how.

    Attributes:
        manifests: Manifest files; then ``repos`` is needed.
        repos: Folder of the repositories that manifests name.
        repo: One repository; then ``revisions`` or ``pulls`` is needed.
        revisions: ``A..B``: its merge commits, or the commits that pull requests landed as.
        pulls: A list of pull requests, or ``auto`` to find them in the history.
        wanted: Filters.
        exclude: File of what is not to be judged.
        sample: Judge so many files, chosen at random.
        seed: Seed of the sample.
        rules: Rule files or names of shipped packs; each makes a column of its own. Without any,
            the ``.mergewright.yaml`` of ``repo``, else the shipped default.
        peers: Names of peers.
        structure_only: Our tool on the three texts alone.
        with_structure: Our tool on the three texts alone as a further column.
        without_history: A further column for each rule file: whole merges without history and memory.
        again: Work out our own results again even when they are kept.
        jobs: Merges at once.
        timeout: Seconds that one tool may take for one merge.
        memory: Bytes of address space of a worker process; 0 for no limit.
        executor: ``processes`` or ``dask``.
        scheduler: Address of the dask scheduler.
    """

    manifests: tuple[Path, ...] = ()
    repos: Path | None = None
    repo: Path | None = None
    revisions: str = ""
    pulls: str = ""
    wanted: Filter = field(default_factory=Filter)
    exclude: Path | None = None
    sample: int | None = None
    seed: int = 0
    rules: tuple[str, ...] = ()
    peers: tuple[str, ...] = ("git", "mergiraf")
    structure_only: bool = False
    with_structure: bool = False
    without_history: bool = False
    again: bool = False
    jobs: int = 1
    timeout: float = 300.0
    memory: int = 0
    executor: str = "processes"
    scheduler: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """A finished replay.

    Attributes:
        report: The JSON document.
        rows: The judged cases.
        tools: The columns, ours first.
        repos: Where the repositories are.
    """

    report: dict[str, Any]
    rows: list[Row]
    tools: list[Tool]
    repos: str


def replay(
    request: Request,
    store: Store,
    *,
    progress: Callable[[Progress], None] = lambda _: None,
    scanned: Callable[[int], None] = lambda _: None,
) -> Replayed:
    """Do a replay.

    Args:
        request: What and how.
        store: Where results are kept; a run that was killed goes on from there.
        progress: Told after each merge.
        scanned: Told how many landings were looked into.

    Raises:
        UsageError: the request does not fit together.
    """
    if request.executor == "dask" and not request.scheduler:
        raise UsageError("--executor dask needs the scheduler's address: --scheduler ADDR.")
    present, absent = choose_peers(request.peers)
    tools = own_tools(request)
    tools += [Tool(name=name, version=version, peer=True) for name, version in present.items()]
    collection = collect_cases(request, store, scanned)
    if request.exclude is not None:
        Exclusions.read(request.exclude).apply(collection)
    take_sample(collection, request.sample, request.seed)
    repos = str((request.repos or request.repo or Path()).absolute())
    settings = Settings(
        repos=repos,
        jobs=request.jobs,
        limit=request.timeout,
        memory=request.memory,
        again=request.again,
    )
    with open_executor(request) as executor:
        fresh = run(collection, tools, settings, store, executor=executor, progress=progress)
    judged = rows(collection, tools, store, fresh)
    facts: dict[str, Any] = {
        "inputs": [path.name for path in request.manifests] or [_name(request.repo)],
        "range": request.revisions,
        "pulls": request.pulls if request.pulls == PULLS_FROM_HISTORY else Path(request.pulls).name,
        "sample": request.sample,
        "seed": request.seed if request.sample else None,
    }
    report = document(collection, judged, tools, absent=absent, settings=facts)
    return Replayed(report=report, rows=judged, tools=tools, repos=repos)


def own_tools(request: Request) -> list[Tool]:
    """The columns of our own tool: one for each rule file, or one without rules."""
    if request.structure_only:
        if request.rules:
            raise UsageError("Rules need the whole merge: not together with --structure-only.")
        return [Tool(name=OWN, version=source_version(), peer=False, structure_only=True)]
    rules = request.rules
    if not rules:
        own = None if request.repo is None else request.repo / RULE_FILE_NAME
        rules = (str(own) if own is not None and own.is_file() else "default",)
    # A file's path is made absolute: a worker need not share our current folder.
    rules = tuple(str(Path(rule).absolute()) if Path(rule).exists() else rule for rule in rules)
    stems = [Path(rule).stem for rule in rules]
    tools = []
    for rule, stem in zip(rules, stems, strict=True):
        unique = stem if stems.count(stem) == 1 else rule
        name = OWN if len(rules) == 1 else f"{OWN}[{unique}]"
        version = source_version((rule,))
        tools.append(Tool(name=name, version=version, peer=False, rules=(rule,)))
        if request.without_history:
            bare = "without history" if len(rules) == 1 else f"{unique}, without history"
            name = f"{OWN}[{bare}]"
            tools.append(Tool(name=name, version=version, peer=False, history=False, rules=(rule,)))
    if request.with_structure:
        version = source_version()
        tools.append(
            Tool(name=f"{OWN}[structure]", version=version, peer=False, structure_only=True)
        )
    return tools


def collect_cases(
    request: Request,
    store: Store,
    scanned: Callable[[int], None] = lambda _: None,
    look: Callable[[Scan, float], Found] = look_in_child,
) -> Collection:
    """The cases of a request, with what was left out.

    Args:
        request: What is to be replayed.
        store: Keeps what was found out about each landing.
        scanned: Told how many landings were looked into.
        look: Looks into one landing within so many seconds.

    Raises:
        UsageError: there is no input, or more than one kind of it.
    """
    if request.manifests:
        if request.repo is not None:
            raise UsageError("Either manifests or one repository can be replayed, not both.")
        if request.repos is None:
            raise UsageError("Manifests name repositories: --repos DIR says where they are.")
        return read_manifests(request.manifests)
    if request.repo is None:
        raise UsageError(
            "Nothing to replay.",
            hint="Name manifests with --repos DIR, or --repo DIR with --range A..B or --pulls FILE.",
        )
    directory = git_directory(request.repo)
    if directory is None:
        raise UsageError(f"{request.repo} is no git repository.")
    repository = Repository.open(directory)
    collection = Collection()
    if request.pulls and request.pulls != PULLS_FROM_HISTORY:
        landings = listed_landings(repository, Path(request.pulls), collection)
    elif request.pulls:
        landings = pull_landings(
            repository, request.revisions or "HEAD", request.wanted, collection
        )
    elif request.revisions:
        landings = merge_landings(repository, request.revisions, request.wanted, collection)
    else:
        raise UsageError("--repo needs --range A..B or --pulls FILE.")
    _scan_all(request, landings, directory, store, collection, scanned, look)
    return collection


def _scan_all(
    request: Request,
    landings: Iterator[Landing],
    directory: Path,
    store: Store,
    collection: Collection,
    scanned: Callable[[int], None],
    look: Callable[[Scan, float], Found],
) -> None:
    done = 0
    with concurrent.futures.ThreadPoolExecutor(request.jobs, "scan") as threads:

        def look_at(scans: Sequence[Scan]) -> Iterator[Found]:
            nonlocal done
            kept = [store.scan(scan.key) for scan in scans]
            futures = [
                threads.submit(look, scan, max(request.timeout, START_LIMIT))
                if known is None
                else None
                for scan, known in zip(scans, kept, strict=True)
            ]
            for scan, known, future in zip(scans, kept, futures, strict=True):
                if future is None:
                    found = found_from_json(known)
                else:
                    found = future.result()
                    store.put_scan(scan.key, found.as_json())
                done += 1
                scanned(done)
                yield found

        try:
            collect(
                landings,
                request.wanted,
                str(directory),
                _name(directory),
                collection,
                look_at,
                batch=BATCH * request.jobs,
            )
        finally:
            close_children()


def _name(path: Path | None) -> str:
    """How a repository is called: its folder, or the folder around ``.git`` or ``repo``."""
    if path is None:
        return ""
    parts = [part for part in path.absolute().parts if part not in {".git", "repo"}]
    return parts[-1].removesuffix(".git").replace("+", "/")


def open_executor(
    request: Request,
) -> AbstractContextManager[concurrent.futures.Executor | None]:
    """Where jobs run: ``None`` for this machine's processes."""
    if request.executor == "dask":
        from mergewright.workflows.replay.cluster import dask_executor

        return dask_executor(request.scheduler)
    return _here()


@contextmanager
def _here() -> Iterator[None]:
    yield None
