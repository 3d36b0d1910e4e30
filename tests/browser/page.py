"""report.html and summary.html in a browser: `page.py PROGRAM FIXTURES [NAME...]`. See `run` beside it."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

import captures

PROGRAM, FIXTURES = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
LOSSY = FIXTURES / "real/tail-bursts-loss4-cubic.snd.pcapng"
# tshark -Y "tcp.seq == 61449 && tcp.len > 0": frames 90 and 107, relative sequence numbers one above offsets, 2.022270208 s.
FIRST_SENT_AGAIN = "frame 107, offset 61448, 1448 bytes, evidence eifel-timestamp, at 2.022270 s"
LIMIT = 20_000_000


def report(work, capture, *options):
    out = work / f"out-{len(os.listdir(work))}"
    done = subprocess.run([PROGRAM, "analyze", capture, "--out", out, "--plots", "none", *options], check=True)
    assert done.returncode == 0
    return out / "report.html"


class Browser:
    """One browser for all tests; each has a page of its own, which must stay silent."""

    def __init__(self, playwright, work):
        self.chromium = playwright.chromium.launch(
            executable_path=shutil.which("chromium") or shutil.which("chromium-browser"), args=["--no-sandbox", "--disable-dev-shm-usage"])
        self.work = work
        self.lossy = report(work, LOSSY)
        captures.many(work / "many.pcap", 1000)
        self.many = report(work, work / "many.pcap", "--no-predict")

    def open(self, file, fragment="", **options):
        page = self.chromium.new_page(viewport={"width": 1400, "height": 900}, **options)
        page.said, page.asked = [], []
        page.on("console", lambda message: page.said.append(message.text))
        page.on("pageerror", lambda error: page.said.append(str(error)))
        page.on("dialog", lambda dialog: (page.said.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: page.asked.append(request.url))
        page.goto(file.as_uri() + fragment)
        return page


def column(page, key):
    """Values of a column as the page shows it; None for unknown."""
    at = page.evaluate("key => [...document.querySelectorAll('.sortable th[data-key]')].findIndex(h => h.dataset.key === key)", key)
    values = page.eval_on_selector_all(".sortable tbody tr", "(rows, at) => rows.map(row => row.cells[at].dataset.v)", at)
    return [float(value) if value else None for value in values]


def box(page, plot):
    found = page.locator(f"#connection figure[data-plot={plot}] .canvas")
    found.scroll_into_view_if_needed()
    return found


def window(page, plot):
    data = page.locator(f"#connection figure[data-plot={plot}]")
    return [float(data.get_attribute(f"data-{end}")) for end in ("from", "to")]


def drag(page, where, start, end, modifier=None):
    area = where.bounding_box()
    place = lambda share: (area["x"] + share[0] * area["width"], area["y"] + share[1] * area["height"])
    if modifier:
        page.keyboard.down(modifier)
    page.mouse.move(*place(start))
    page.mouse.down()
    page.mouse.move(*place(end), steps=4)
    page.mouse.up()
    if modifier:
        page.keyboard.up(modifier)


def near(a, b):
    assert abs(a - b) <= 1e-6 * max(1.0, abs(a), abs(b)), (a, b)


def opens_and_asks_for_nothing(browser):
    page = browser.open(browser.lossy)
    assert page.asked == [browser.lossy.as_uri()], page.asked
    assert page.locator("h1").count() == 1
    assert "38" in page.locator(".sortable tbody tr").first.inner_text()
    assert page.locator("#connection figure").count() == 8, page.locator("#connection figure").count()
    return page


def every_figure_has_ink(browser):
    page = browser.open(browser.lossy)
    for canvas in page.locator("figure canvas[role=img]").all():
        inked = canvas.evaluate(
            "c => { const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; let n = 0;"
            " for (let i = 3; i < d.length; i += 4) if (d[i] > 0) n++; return n; }")
        assert inked > 2000, (canvas.get_attribute("aria-label"), inked)
    return page


def sorts(browser):
    page = browser.open(browser.many)
    assert column(page, "data")[0] == max(column(page, "data"))
    head = page.locator(".sortable th[data-key=lost]")
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    values = [value for value in column(page, "lost") if value is not None]
    assert values == sorted(values, reverse=True) and values[0] == 1, values[:3]
    head.locator("button").press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    page.locator(".sortable th[data-key=client] button").click()
    assert page.locator(".sortable th[aria-sort]").count() == 1
    names = page.eval_on_selector_all(".sortable tbody tr", "rows => rows.slice(0, 3).map(row => row.cells[1].textContent)")
    assert names == ["10.1.0.0:20000", "10.1.0.1:20001", "10.1.0.2:20002"], names
    return page


def filters(browser):
    page = browser.open(browser.many)
    status = page.locator(".controls [role=status]")
    assert status.inner_text() == "1,000 of 1,000 match, the first 100 are shown", status.inner_text()
    field = page.get_by_label("Filter")
    # Every tenth has lost one.
    for text, matching in [("lost>0", 100), ("lost>0 10.1.0.", 26), ("retransmitted>1%", 100), ("goodput>1G", 0),
                           ("client=10.1.3.231", 1), ("<b>", 0), ("end=fin", 1000), ("rtt>=19ms rtt<21ms", 1000)]:
        field.fill(text)
        assert status.inner_text().startswith(f"{matching:,} of 1,000"), (text, status.inner_text())
    field.fill("")
    page.get_by_role("button", name="Show all rows").click()
    assert page.locator(".sortable tbody tr").count() == 1000
    return page


def zooms_and_pans(browser):
    page = browser.open(browser.lossy)
    whole = window(page, "timesequence")
    drag(page, box(page, "timesequence"), (0.4, 0.5), (0.6, 0.5))
    zoomed = window(page, "timesequence")
    assert whole[0] < zoomed[0] < zoomed[1] < whole[1]
    share = (zoomed[1] - zoomed[0]) / (whole[1] - whole[0])
    assert 0.18 < share < 0.25, share
    for other in ("rtt", "window", "limits"):
        assert window(page, other) == zoomed, other
    assert window(page, "prediction") != zoomed
    drag(page, box(page, "timesequence"), (0.6, 0.5), (0.5, 0.5), "Shift")
    panned = window(page, "timesequence")
    near(panned[1] - panned[0], zoomed[1] - zoomed[0])
    assert panned[0] > zoomed[0]
    box(page, "rtt").dblclick()
    assert window(page, "timesequence") == whole
    page.get_by_role("button", name="Zoom in: Windows").click()
    half = window(page, "window")
    near(half[1] - half[0], (whole[1] - whole[0]) / 2)
    page.get_by_role("button", name="Show everything: Windows").click()
    assert window(page, "window") == whole
    area = box(page, "rtt").bounding_box()
    page.mouse.move(area["x"] + area["width"] / 2, area["y"] + 80)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -100)
    page.keyboard.up("Control")
    page.wait_for_function("before => document.querySelector('figure[data-plot=rtt]').dataset.to < before", arg=whole[1])
    return page


def tells_what_is_pointed_at(browser):
    page = browser.open(browser.lossy)
    where = box(page, "timesequence")
    tip = where.locator(".tip")
    area = where.bounding_box()
    seen = set()
    for x in range(60, int(area["width"]) - 20, 9):
        for y in range(20, 260, 12):
            page.mouse.move(area["x"] + x, area["y"] + y)
            if tip.is_visible():
                seen.add(tip.inner_text())
    kinds = {text.split("\n")[0] for text in seen}
    assert {"Segments", "Acknowledged up to", "Receive window", "Sent again: lost"} <= kinds, kinds
    assert any(re.search(r"frame [\d,]+, at \d+\.\d{6} s", text) for text in seen if text.startswith("Segments"))
    lost = [text for text in seen if text.startswith("Sent again: lost")]
    assert all(re.search(r"frame \d+, offset \d+, \d+ bytes, evidence \S+\nat \d", text) for text in lost), lost
    page.mouse.move(area["x"] + 5, area["y"] - 30)
    assert tip.is_hidden()
    return page


def works_with_keys(browser):
    page = browser.open(browser.lossy)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    where = box(page, "timesequence")
    where.focus()
    whole = window(page, "timesequence")
    page.keyboard.press("+")
    page.keyboard.press("ArrowRight")
    moved = window(page, "timesequence")
    near(moved[1] - moved[0], (whole[1] - whole[0]) / 2)
    assert moved[0] > whole[0] + (whole[1] - whole[0]) / 4
    page.keyboard.press("0")
    assert window(page, "timesequence") == whole
    page.keyboard.press("n")
    spoken = where.locator("[aria-live]").inner_text()
    assert spoken == f"Sent again: lost, {FIRST_SENT_AGAIN}", spoken
    frames = [107]
    for _ in range(37):
        page.keyboard.press("n")
        frames.append(int(re.search(r"frame (\d+)", where.locator("[aria-live]").inner_text())[1]))
    assert frames == sorted(set(frames)) and len(frames) == 38
    page.keyboard.press("Escape")
    assert where.locator(".tip").is_hidden()
    legend = page.locator("figure[data-plot=timesequence] .legend button").first
    legend.press("Space")
    assert legend.get_attribute("aria-pressed") == "false"
    return page


def can_be_read_aloud(browser):
    page = browser.open(browser.lossy)
    levels = page.eval_on_selector_all("h1, h2, h3, h4", "all => all.map(h => Number(h.tagName[1]))")
    assert levels[0] == 1 and all(b <= a + 1 for a, b in zip(levels, levels[1:])), levels
    for selector, name in [("canvas[role=img]", "aria-label"), (".canvas", "aria-label"), (".scroll", "aria-label")]:
        for one in page.locator(selector).all():
            assert len(one.get_attribute(name)) > 10, selector
    label = page.locator("figure[data-plot=timesequence] canvas").first.get_attribute("aria-label")
    assert "sent again: lost, 38 values" in label, label
    for button in page.locator("button:visible").all():
        assert button.get_attribute("aria-label") or button.inner_text().strip()
    for table in page.locator("table").all():
        assert table.locator("caption").count() == 1
    assert page.evaluate("document.documentElement.lang") == "en"
    return page


def names_stay_text(browser):
    folder = browser.work / "a<"
    # Together the two are `</script><img ...>`.
    folder.joinpath("script><img src=x onerror=alert(1)>").mkdir(parents=True)
    evil = folder / "script><img src=x onerror=alert(1)>" / "\"'><svg onload=alert(2)>&amp;.pcap"
    shutil.copy(FIXTURES / "small/drop.pcap", evil)
    page = browser.open(report(browser.work, evil))
    page.wait_for_timeout(200)
    assert page.locator("h1").inner_text().startswith(str(evil)), page.locator("h1").inner_text()
    assert page.title().startswith(str(evil))
    assert page.locator("img, svg").count() == 0
    return page


def follows_the_scheme(browser):
    page = browser.open(browser.lossy, color_scheme="dark")
    ground = lambda: page.evaluate("getComputedStyle(document.body).backgroundColor")
    dark = ground()
    page.locator("#theme").click()
    page.locator("#theme").click()
    assert page.locator("#theme").inner_text() == "Colours: light"
    assert dark != ground() == "rgb(255, 255, 255)"
    page.reload()
    assert ground() == "rgb(255, 255, 255)", "the choice is kept"
    page.locator("#theme").click()
    page.emulate_media(color_scheme="light")
    assert ground() == "rgb(255, 255, 255)"
    page.emulate_media(color_scheme="dark")
    assert ground() == dark
    return page


def prints(browser):
    page = browser.open(browser.lossy, color_scheme="dark")
    document = page.pdf(prefer_css_page_size=True)
    pages = len(re.findall(rb"/Type\s*/Page\b", document))
    assert 3 <= pages <= 12, pages
    assert page.evaluate("document.documentElement.dataset.theme") == "auto", "the screen is as before"
    return page


def a_thousand_connections(browser):
    size = browser.many.stat().st_size
    assert size < LIMIT, size
    start = time.monotonic()
    page = browser.open(browser.many)
    page.wait_for_selector("#connection figure")
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    print(f"  {size / 1e6:.1f} MB, open in {time.monotonic() - start:.2f} s", flush=True)
    page.get_by_label("Filter").fill("client=10.1.0.250")
    page.locator(".sortable tbody a").click()
    page.wait_for_function("document.querySelector('#connection h2').textContent.startsWith('Connection 250:')")
    assert page.locator("#connection figure").count() >= 6
    assert page.locator("tr[aria-current] a").inner_text() == "250"
    page.go_back()
    again = browser.open(browser.many, "#c999")
    assert again.locator("#connection h2").inner_text().startswith("Connection 999: 10.1.3.231")
    return page


def summary_of_a_fleet(browser):
    folder = browser.work / "fleet"
    folder.mkdir()
    shutil.copy(LOSSY, folder)
    shutil.copy(FIXTURES / "fleet/synloss-cubic.snd.pcap.zst", folder)
    shutil.copy(browser.work / "many.pcap", folder)
    shutil.copy(FIXTURES / "small/cut.pcap", folder / "<img src=x onerror=alert(1)>.pcap")
    dataset = browser.work / "dataset"
    done = subprocess.run([PROGRAM, "batch", folder, "--out", dataset, "--no-predict"], capture_output=True, check=False)
    assert done.returncode == 2, done.stderr
    summary = json.loads((dataset / "summary.json").read_text())
    page = browser.open(dataset / "summary.html")
    assert page.asked == [(dataset / "summary.html").as_uri()], page.asked
    assert page.locator("img").count() == 0
    assert "<img src=x" in page.locator("section", has_text="Failed").last.inner_text()
    figures = page.locator("figure")
    assert figures.count() == len(summary["distributions"]) > 3
    for figure, distribution in zip(figures.all(), summary["distributions"]):
        bars = figure.locator("rect title").all_text_contents()
        counts = [int(bar.rpartition(": ")[2].replace(",", "")) for bar in bars]
        assert counts == [one["count"] for one in distribution["bins"]] and sum(counts) == distribution["count"], (distribution, bars)
        # Inside its picture, and as high as the largest.
        frame = figure.locator("svg").bounding_box()
        for rect in figure.locator("rect").all():
            box = rect.bounding_box()
            assert frame["x"] - 1 <= box["x"] and box["x"] + box["width"] <= frame["x"] + frame["width"] + 1, (frame, box)
        for text in figure.locator("text").all():
            box = text.bounding_box()
            assert frame["x"] - 1 <= box["x"] and box["x"] + box["width"] <= frame["x"] + frame["width"] + 1, (text.inner_html(), frame, box)
    ports = page.locator("section", has=page.get_by_role("heading", name="By server_port"))
    head = ports.locator("th[data-key=directions]")
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    rows = ports.locator("tbody tr").count()
    subnets = page.locator("section", has=page.get_by_role("heading", name="By client_subnet"))
    before = subnets.locator("tbody tr").count()
    subnets.get_by_label("Filter").fill("10.1.3.")
    assert (subnets.locator("tbody tr").count(), ports.locator("tbody tr").count()) == (1, rows) and before > 1
    for table in page.locator("table").all():
        assert table.locator("caption").count() == 1
    page.set_viewport_size({"width": 480, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), "the page itself does not scroll sideways"
    return page


TESTS = [opens_and_asks_for_nothing, every_figure_has_ink, sorts, filters, zooms_and_pans, tells_what_is_pointed_at, works_with_keys,
         can_be_read_aloud, names_stay_text, follows_the_scheme, prints, a_thousand_connections,
         summary_of_a_fleet]


def main():
    wanted = sys.argv[3:]
    with tempfile.TemporaryDirectory() as work, sync_playwright() as playwright:
        browser = Browser(playwright, Path(work))
        for test in TESTS:
            if wanted and test.__name__ not in wanted:
                continue
            print(f"browser: {test.__name__}", flush=True)
            page = test(browser)
            assert page.said == [], page.said
            assert all(url.startswith("file:") for url in page.asked), page.asked
            page.close()


main()
