"""Reports in a real browser without a window: it must load them from disk in silence, and step through every replay."""

import random
import shutil

import pytest
from counts import count
from gunzi.random_records import random_record

import gunzi_sim as gz
from gunzi_sim import exhibit, page, report
from gunzi_sim.gunzi import steps
from gunzi_sim.texts import Words

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
OPTIONS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --window-size=1200,900"
).split()
EVIL = '"><script>document.title="broken"</script><img src=x onerror=document.title="broken">'
SYMBOLS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
JOKERS = {"en": {"JS": "small", "JB": "big"}, "zh": {"JS": "小王", "JB": "大王"}}

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine"),
    pytest.mark.skipif(DRIVER is None, reason="no chromedriver on this machine"),
]


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    for option in (*OPTIONS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(option)
    options.binary_location = CHROMIUM
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def run():
    return gz.simulate(gz.rules(), "basic,random,basic,random", rounds=count(40, 4), seed=9)


@pytest.fixture
def opened(browser, tmp_path):
    """Open a page's text from disk; at the end of the test its console must be empty."""

    def load(text):
        path = tmp_path / "report.html"
        path.write_text(text, encoding="utf-8")
        browser.get_log("browser")
        browser.get(path.as_uri())
        return browser

    yield load
    assert browser.get_log("browser") == []


def document_of(record, words, boards=1, parting=None):
    """A page with one replay of a record."""
    made = [("", steps.seats(record, words), steps.steps(record, words), "text")] * boards
    return page.document("t", [page.replay("r", "title", "note", made, words, parting)], words)


def find(place, selector):
    return place.find_elements("css selector", selector)


def press(browser, key):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    ActionChains(browser).send_keys(getattr(Keys, key)).perform()


def click(place, what):
    (button,) = find(place, f"[data-go={what}]")
    button.click()


SHOWN = """
const part = (name) => arguments[0].querySelector(`[data-part=${name}]`).innerText;
const rows = [...arguments[0].querySelectorAll(".board")[0].querySelectorAll("[data-seat]")];
const cards = (row, kind) => [...row.querySelectorAll(`.${kind} .card`)].map((card) => card.innerText);
return {
  text: part("text"),
  score: part("score"),
  table: rows.map((row) => cards(row, "on-table")),
  hands: rows.map((row) => cards(row, "in-hand").sort()),
  lead: rows.flatMap((row, seat) => (row.querySelector(".mark").innerText ? [seat] : [])),
  count: arguments[0].querySelector(".count").innerText,
};
"""


def shown(replay):
    """What the first board shows: the move, cards on the table and in hand by seat, who leads, the step."""
    return replay.parent.execute_script(SHOWN, replay)


def name_of(card, lang="en"):
    """A card of a record as the page writes it."""
    return JOKERS[lang].get(card) or SYMBOLS[card[0]] + card[1].replace("T", "10")


def test_a_report_loads_in_silence_and_shows_what_it_has(run, opened):
    browser = opened(report.run(run, Words("en")))
    assert browser.title.startswith("gunzi_sim: Da Gunzi: ")
    assert len(find(browser, "section.replay")) == 6
    assert all(find(replay, ".count")[0].text.startswith("1 / ") for replay in find(browser, "section.replay"))
    heights = [svg.size["height"] for svg in find(browser, "figure svg")]
    assert len(heights) >= 6 and min(heights) > 60
    texts = " ".join(node.text for node in find(browser, "figure svg text"))
    assert "attackers' points S" in texts and "big jokers dealt to the attackers" in texts
    wide = browser.execute_script("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0


def test_a_chinese_report_is_in_chinese(run, opened):
    browser = opened(report.run(run, Words("zh")))
    body = browser.find_element("tag name", "body").text
    for text in ("打滚子", "抓分方上台", "分布", "热图", "数字背后的牌局", "0 号位", "庄", "底牌", "手牌"):
        assert text in body
    replay = find(browser, "section.replay")[0]
    assert shown(replay)["text"].startswith("发牌，") and "抓分方 0 分" in shown(replay)["score"]
    click(replay, "last")
    assert "积分：" in shown(replay)["text"]
    labels = [button.get_attribute("aria-label") for button in find(replay, "button")]
    assert labels == ["第一步", "上一圈", "上一步", "下一步", "下一圈", "最后一步"]


def test_the_buttons_step_through_the_record(run, opened):
    """The first hand shown of a run: every card on the table and in hand as its record says, forward and back."""
    browser = opened(report.run(run, Words("en")))
    replay = find(browser, "section.replay")[0]
    unit, hand = find(replay, ".note")[0].text.split("--index ")[1].split(" --hand ")
    (record,) = run.record(int(unit), int(hand))
    n_steps = int(shown(replay)["count"].split(" / ")[1])
    n_before = n_steps - len(record["plays"]) - 1
    for _ in range(n_before):
        click(replay, "forward")
    seen, lead, dealer = [], record["result"]["dealer"], record["result"]["dealer"]
    for number, play in enumerate(record["plays"][:9]):
        found = shown(replay)
        seat = (lead + number % 4) % 4
        assert found["table"][seat] == [name_of(card) for card in play]
        assert sum(map(bool, found["table"])) == number % 4 + 1
        verb = "plays" if number % 4 else "leads"
        assert found["text"].startswith(f"Seat {seat} {verb} {' '.join(name_of(card) for card in play)}")
        assert found["lead"] == [lead]
        assert found["count"] == f"{n_before + number + 1} / {n_steps}"
        left = record["plays"][number + 1 :]
        assert sum(map(len, found["hands"])) == sum(map(len, left))
        if number % 4 == 3:
            lead = record["result"]["winners"][number // 4]
            assert f"seat {lead} wins the trick" in found["text"]
        seen.append(found)
        click(replay, "forward")
    for found in reversed(seen):
        click(replay, "back")
        assert shown(replay) == found
    click(replay, "last")
    points = record["result"]["attacker_points"]
    assert (
        shown(replay)["score"].startswith(f"attackers {points}, ") and f"have {points} points" in shown(replay)["text"]
    )
    click(replay, "first")
    assert sum(map(len, shown(replay)["hands"])) == 156 and shown(replay)["count"].startswith("1 / ")
    other = find(browser, "section.replay")[1]
    assert shown(other)["count"].startswith("1 / ")
    assert [row.text.endswith(" D") for row in find(replay, "[data-seat] th")].index(True) == dealer


def test_the_keys_step_the_replay_in_focus(run, opened):
    browser = opened(report.run(run, Words("en")))
    first, second = find(browser, "section.replay")[:2]
    begun = [shown(first), shown(second)]
    expected = [shown(second)]
    for _ in range(3):
        click(second, "forward")
        expected.append(shown(second))
    click(second, "last")
    expected.append(shown(second))
    click(second, "first")
    assert len({found["text"] for found in expected}) == 5
    browser.execute_script("arguments[0].focus()", second)
    for key, at in [
        ("ARROW_RIGHT", 1),
        ("ARROW_RIGHT", 2),
        ("ARROW_RIGHT", 3),
        ("ARROW_LEFT", 2),
        ("ARROW_LEFT", 1),
        ("ARROW_LEFT", 0),
        ("ARROW_LEFT", 0),
        ("END", 4),
        ("ARROW_RIGHT", 4),
        ("HOME", 0),
    ]:
        press(browser, key)
        assert shown(second) == expected[at], key
    assert shown(first) == begun[0]
    browser.execute_script("arguments[0].focus()", find(second, "input")[0])
    press(browser, "ARROW_RIGHT")
    assert shown(second) == expected[1]  # once, though the slider and the replay both have the key
    browser.execute_script("arguments[0].focus()", first)
    press(browser, "ARROW_RIGHT")
    assert shown(first)["count"].startswith("2 / ") and shown(second) == expected[1]


def test_a_replay_is_reached_and_left_by_tab(run, opened):
    from selenium.webdriver.common.by import By

    browser = opened(document_of(random_record(random.Random(3)), Words("en")))
    press(browser, "TAB")
    assert browser.switch_to.active_element.get_attribute("class") == "replay"
    found = []
    for _ in range(7):
        press(browser, "TAB")
        active = browser.switch_to.active_element
        found.append(active.get_attribute("aria-label"))
    assert found == ["first step", "previous trick", "step back", "step forward", "next trick", "last step", "step"]
    forward = browser.find_element(By.CSS_SELECTOR, "[data-go=forward]")
    forward.send_keys(" ")
    assert browser.find_element(By.CSS_SELECTOR, ".count").text.startswith("2 / ")
    live = browser.find_element(By.CSS_SELECTOR, ".move")
    assert live.get_attribute("aria-live") == "polite"


@pytest.mark.parametrize("seed", range(3))
def test_whole_tricks_are_stepped_over(opened, seed):
    record = random_record(random.Random(seed))
    found = steps.steps(record, Words("en"))
    browser = opened(document_of(record, Words("en")))
    (replay,) = find(browser, ".replay")
    begins = [0] + [at for at in range(1, len(found)) if found[at].trick != found[at - 1].trick]
    at = 0
    for expected in begins[1:4]:
        click(replay, "next")
        assert shown(replay)["count"] == f"{expected + 1} / {len(found)}"
    click(replay, "forward")
    click(replay, "previous")
    assert shown(replay)["count"] == f"{begins[3] + 1} / {len(found)}"
    click(replay, "previous")
    assert shown(replay)["count"] == f"{begins[2] + 1} / {len(found)}"
    for _ in range(6):
        click(replay, "previous")
    assert shown(replay)["count"] == f"{at + 1} / {len(found)}"


def test_boards_side_by_side_step_together_and_lead_to_where_they_part(opened):
    """Two hands of one deal that part at a step; the shorter one stays at its end."""
    words = Words("en")
    record = random_record(random.Random(5))
    longer = steps.steps(record, words)
    shorter = [*longer[:6], *(step._replace(text=f"other {at}") for at, step in enumerate(longer[6:20]))]
    boards = [("one", ["a"] * 4, longer, ""), ("two", ["b"] * 4, shorter, "")]
    browser = opened(page.document("t", [page.replay("r", "x", "y", boards, words, 6)], words))
    (replay,) = find(browser, ".replay")
    texts = lambda: [node.text for node in find(replay, "[data-part=text]")]  # noqa: E731
    assert texts() == [longer[0].text] * 2
    click(replay, "parting")
    assert texts() == [longer[6].text, "other 0"]
    assert "parted" in replay.get_attribute("class").split()
    click(replay, "back")
    assert texts() == [longer[5].text] * 2
    assert "parted" not in replay.get_attribute("class").split()
    click(replay, "last")
    assert texts() == [longer[-1].text, "other 13"]
    assert shown(replay)["count"] == f"{len(longer)} / {len(longer)}"


def test_texts_that_break_out_of_careless_pages_are_shown(run, opened):
    from test_report import with_texts

    browser = opened(report.run(with_texts(run, [EVIL] * 5), Words("en")))
    assert browser.title.startswith("gunzi_sim: ")
    assert EVIL in browser.find_element("tag name", "body").text
    assert not find(browser, "img") and not find(browser, "main script:not([type='application/json'])")


def test_texts_of_a_replay_are_shown(opened):
    words = Words("en")
    step = exhibit.Step(EVIL, EVIL, (((0,),),) * 4, ((), (), (), ()), (1, 2), 5, EVIL)
    made = page.replay("r", EVIL, EVIL, [(EVIL, [EVIL] * 4, [step], EVIL)], words)
    browser = opened(page.document("title", [made], words))
    assert browser.title == "title"
    (replay,) = find(browser, ".replay")
    assert shown(replay)["text"] == EVIL and find(replay, "h3")[0].text == EVIL and find(replay, "h4")[0].text == EVIL
    assert not find(browser, "img")


def test_the_page_s_policy_stops_what_escaping_would_miss(browser, tmp_path):
    """The same attack put into a page unescaped does nothing either, and the console says who stopped it."""
    words = Words("en")
    path = tmp_path / "broken.html"
    path.write_text(page.document("title", [EVIL], words), encoding="utf-8")
    browser.get(path.as_uri())
    assert browser.title == "title"
    log = browser.get_log("browser")
    assert log and all("Content Security Policy" in entry["message"] for entry in log)


def test_two_arms_are_stepped_side_by_side_to_where_they_part(opened):
    """Their names may hold anything; before the parting both boards are alike, and there they are not."""
    name = '"><script>alert(1)</script>'
    found = gz.compare({"keep": {}, name: {"policy": "random"}}, hands=count(20, 4), seed=1)
    browser = opened(report.html(found, Words("en")))
    assert [node.text for node in find(browser, ".replay h4")[:2]] == [name, "keep"]
    assert name in [node.text for node in find(browser, "figure svg text")]
    for replay in find(browser, ".replay")[::2]:
        click(replay, "parting")
        at = int(shown(replay)["count"].split(" / ")[0])
        assert f"they part at step {at}" in find(replay, ".note")[0].text
        for differ in (True, False):
            texts = [find(board, ".move")[0].text + find(board, ".felt")[0].text for board in find(replay, ".board")]
            assert (texts[0] != texts[1]) is differ and min(map(len, texts)) > 50
            click(replay, "back")
