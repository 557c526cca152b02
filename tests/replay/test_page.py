"""The HTML page: what is in the file, and a click-through in a real browser where there is one."""

import base64
import json
import re
import shutil
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.replay import history

from mergewright.workflows.replay.page import CONTEXT, pack, write_page
from mergewright.workflows.replay.request import Replayed, Request, replay
from mergewright.workflows.replay.scanning import Filter
from mergewright.workflows.replay.store import Store


def unpacked(packed: dict[str, Any], name: str, hidden: list[str]) -> list[str] | None:
    """A version's lines again, with the left-out stretches of another version put back."""
    items = packed["versions"][name]
    if items is None:
        return None
    lines: list[str] = []
    left_out = iter(hidden)
    for item in items:
        if isinstance(item, int):
            lines.extend(next(left_out) for _ in range(-item))
        else:
            lines.extend(packed["lines"][item[0] : item[0] + item[1]])
    return lines


def hidden_lines(packed: dict[str, Any], name: str, text: str) -> list[str]:
    position, hidden = 0, []
    for item in packed["versions"][name]:
        if isinstance(item, int):
            hidden.extend(text.split("\n")[position : position - item])
            position -= item
        else:
            position += item[1]
    return hidden


@given(
    st.lists(st.sampled_from("abcdef"), max_size=60),
    st.lists(st.tuples(st.integers(0, 60), st.sampled_from("xyz")), max_size=3),
    st.lists(st.tuples(st.integers(0, 60), st.sampled_from("xyz")), max_size=3),
)
def test_what_is_left_out_is_the_same_in_every_version(
    base: list[str], ours: list[tuple[int, str]], theirs: list[tuple[int, str]]
) -> None:
    """Each version can be rebuilt with the stretches that another version left out."""
    long = [f"{line}{n // 7}" for n, line in enumerate(base * 3)]
    texts: dict[str, str | None] = {"base": "\n".join([*long, ""])}
    for name, edits in (("ours", ours), ("theirs", theirs)):
        lines = list(long)
        for position, line in edits:
            lines.insert(min(position, len(lines)), line)
        texts[name] = "\n".join([*lines, ""])
    texts["gone"] = None
    packed = pack(texts)
    base_text = texts["base"]
    assert base_text is not None
    hidden = hidden_lines(packed, "base", base_text)
    for name, text in texts.items():
        expected = None if text is None else text.split("\n")[:-1] if text else []
        assert unpacked(packed, name, hidden) == expected


def test_long_equal_stretches_are_left_out() -> None:
    """A change in the middle of a long file keeps its surroundings and little else."""
    lines = [f"line {n}" for n in range(1000)]
    changed = [*lines[:500], "new", *lines[500:]]
    packed = pack({"base": "\n".join(lines), "ours": "\n".join(changed)})
    assert len(packed["lines"]) == 2 * CONTEXT + 1
    assert packed["versions"]["base"][0] == packed["versions"]["ours"][0] == -(500 - CONTEXT)


@pytest.fixture(scope="module")
def replayed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Replayed, Store]]:
    folder = tmp_path_factory.mktemp("merged") / "example"
    history.merges(folder)
    request = Request(
        repo=folder,
        revisions="main",
        wanted=Filter(both_changed=True),
        peers=("git", "ours"),
        structure_only=True,
    )
    with Store(None) as store:
        yield replay(request, store), store


@pytest.fixture(scope="module")
def page(replayed: tuple[Replayed, Store], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "replay.html"
    write_page(*replayed, path)
    return path


def test_the_page_is_self_contained(page: Path, replayed: tuple[Replayed, Store]) -> None:
    """All data is in the file; nothing is loaded, and texts cannot break out of their element."""
    html = page.read_text(encoding="utf-8")
    assert not re.search(r"(?:src|href)\s*=\s*[\"']?(?:https?:)?//", html)
    assert "default-src 'none'" in html
    report = json.loads(html.split('id="report">')[1].split("</script>")[0])
    assert report["summary"] == replayed[0].report["summary"]
    packed = html.split('id="files">')[1].split("</script>")[0].split()
    assert len(packed) == len(report["files"]) == 5
    first = json.loads(zlib.decompress(base64.b64decode(packed[0])))
    assert first["results"]["git"]["verdict"] == "open"
    assert set(first["versions"]) == {
        "base", "ours", "theirs", "accepted", "tool:mergewright", "tool:git", "tool:ours",
    }  # fmt: skip


# --- in a browser ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    selenium = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    binary = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")  # fmt: skip
    driver_path = shutil.which("chromedriver")
    if binary is None or driver_path is None:
        pytest.skip(
            "no Chromium with chromedriver on this machine: the page was not clicked through"
        )
    options = selenium.ChromeOptions()
    options.binary_location = binary
    for argument in ("--headless=new", "--no-sandbox", "--window-size=1400,1000"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = selenium.Chrome(options, selenium.ChromeService(driver_path))
    yield driver
    driver.quit()


def wait_for(browser: Any, script: str) -> Any:
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(browser, 20).until(lambda b: b.execute_script(f"return {script}"))


def click(browser: Any, selector: str) -> None:
    browser.find_element("css selector", selector).click()


def errors(browser: Any) -> list[str]:
    return [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]


@pytest.mark.slow
def test_click_through(page: Path, browser: Any) -> None:
    """Bars, filters, a file with its versions, decisions, and back; no error on the console."""
    browser.get(page.as_uri())
    wait_for(browser, "document.querySelectorAll('#list tr.file').length === 5")
    assert browser.execute_script("return document.querySelectorAll('#bars .bar').length") == 3
    browser.execute_script("$('tool').value='git'; $('verdict').value='open'; fill()")
    wait_for(browser, "document.querySelectorAll('#list tr.file').length === 4")
    click(browser, "#list tr.file td.path button")
    wait_for(browser, "!$('file').hidden && document.querySelectorAll('.diff tbody tr').length > 3")
    assert browser.find_element("id", "path").text == "a.py"
    assert "Accepted".lower() in browser.find_element("css selector", ".diff thead").text
    # Base against ours: LIMIT alone changed, and the difference inside the line is marked.
    browser.execute_script("$('left').value='base'; $('right').value='ours'; redraw()")
    assert browser.find_element("id", "distance").text == "1 line differs"
    cut = browser.find_element("css selector", ".diff td.cut").text
    add = browser.find_element("css selector", ".diff td.add").text
    assert (cut, add) == ("LIMIT = 1", "LIMIT = 2")
    click(browser, "#swap")
    assert browser.find_element("css selector", ".diff td.cut").text == "LIMIT = 2"
    assert browser.find_element("id", "why").text
    click(browser, "#next")
    wait_for(browser, "$('place').textContent.startsWith('2 of 4')")
    browser.execute_script("$('left').value='tool:git'; $('right').value='accepted'; redraw()")
    assert browser.execute_script("return document.querySelectorAll('.diff td.marker').length")
    click(browser, "#back")
    wait_for(browser, "$('file').hidden && !$('overview').hidden")
    before = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    click(browser, "#theme")
    after = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert before != after
    browser.find_element("id", "text").send_keys("no such file")
    wait_for(browser, "document.querySelectorAll('#list tr.file').length === 0")
    assert errors(browser) == []


@pytest.mark.slow
def test_two_thousand_files(replayed: tuple[Replayed, Store], browser: Any, tmp_path: Path) -> None:
    """With 2,000 files the list answers within a second, and the last file opens."""
    done, store = replayed
    times = 400
    rows, files = [], []
    for n in range(times):
        for row, entry in zip(done.rows, done.report["files"], strict=True):
            merge = f"{n:04x}{entry['merge'][4:]}"
            rows.append(row)
            files.append({**entry, "merge": merge, "path": f"src/package_{n}/{entry['path']}"})
    many = replace(done, rows=rows, report={**done.report, "files": files})
    path = tmp_path / "many.html"
    write_page(many, store, path)
    browser.get(path.as_uri())
    wait_for(browser, "$('count').textContent === '2000 of 2000 files'")
    took = browser.execute_script(
        "const t = performance.now(); $('text').value = 'package_399/'; fill();"
        "return performance.now() - t"
    )
    assert took < 1000
    wait_for(browser, "document.querySelectorAll('#list tr.file').length === 5")
    browser.execute_script("location.hash = 'file=1999'")
    wait_for(browser, "!$('file').hidden && $('path').textContent.startsWith('src/package_399')")
    assert errors(browser) == []
