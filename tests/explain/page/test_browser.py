"""The page as its reader uses it, in Chromium: v edited, keys, pointer, dark, small, large, hostile."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as torch
from pullback.explain.page import page_of

from ..seeds.cases import CASES, Case
from .samples import chain, edge, linear, node

J = np.array([[6.0, 0.0], [2.0, 24.0], [0.0, 10.0]])
V = np.array([1.0, 10.0, 100.0])
HOSTILE = "<img src=x onerror=\"document.title='broken'\">"


def explained(case: Case) -> dict[str, Any]:
    y, _ = case.make()
    return torch.explain(y, None if case.covector is None else torch.tensor(case.covector)).to_dict()


def exact(page: Any, selector: str) -> list[float]:
    return [float(cell.get_attribute("title")) for cell in page.page.locator(selector).all()]


def number(text: str) -> float:
    return float(text.replace("−", "-"))


def total(page: Any) -> list[float]:
    return [number(text) for text in page.texts("tfoot td.number")]


def test_an_edited_covector_gives_numpy_s_product(visit: Any) -> None:
    page = visit(page_of([linear(J, V, before=[1.0, 1.0])]))
    assert total(page) == [26.0, 1240.0]
    assert page.texts("code.after") == ["[27, 1241]"]
    for place, weight in enumerate([0.5, -2.0, 1e3]):
        page.page.fill(f"input[data-place='{place}']", str(weight))
    expected = np.array([0.5, -2.0, 1e3]) @ J
    assert total(page) == pytest.approx(expected, rel=1e-4)
    assert exact(page, "tfoot td.number") == expected.tolist()
    assert page.texts("code.after") == ["[0, 9953]"]
    page.page.click("button:text('v as in the run')")
    assert total(page) == [26.0, 1240.0]


def test_each_row_shows_what_it_brings_and_the_sum_so_far(visit: Any) -> None:
    page = visit(page_of([linear(J, V)]))
    assert page.texts("td.product") == [
        "[6, 0]", "[6, 0]", "[20, 240]", "[26, 240]", "[0, 1000]", "[26, 1240]",
    ]  # fmt: skip


def test_a_row_s_button_makes_the_product_that_row(visit: Any) -> None:
    page = visit(page_of([linear(J, V)]))
    page.page.click("button.only >> nth=1")
    assert total(page) == J[1].tolist()
    assert page.page.input_value("input[data-place='1']") == "1"


def test_what_is_no_number_is_marked_and_changes_nothing(visit: Any) -> None:
    page = visit(page_of([linear(J, V)]))
    page.page.fill("input[data-place='0']", "one")
    assert page.page.get_attribute("input[data-place='0']", "aria-invalid") == "true"
    assert total(page) == [26.0, 1240.0]


def test_one_covector_weighs_the_same_output_in_every_equation(visit: Any) -> None:
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    b = torch.tensor([3.0, 4.0], requires_grad=True)
    page = visit(page_of([torch.explain(a * b, torch.tensor([1.0, 10.0])).to_dict()]))
    page.page.fill("input[data-place='1'] >> nth=0", "7")
    assert page.page.input_value("input[data-place='1'] >> nth=1") == "7"
    assert total(page) == [3.0, 28.0, 1.0, 14.0]


def test_a_batch_of_covectors_repeats_j(visit: Any) -> None:
    x = torch.tensor(1.0, requires_grad=True)
    weights = torch.tensor([1.0, 10.0, 100.0, 1000.0])
    page = visit(page_of([torch.explain(x**2, weights).to_dict()]))
    assert page.texts("td.product >> nth=-1") == ["2222"]
    assert page.texts("td.product")[1::2] == ["2", "22", "222", "2222"]
    page.page.fill("input[data-place='3']", "0")
    assert total(page) == [222.0]


def test_the_picture_names_source_lines_on_hover_and_focus(visit: Any) -> None:
    page = visit(page_of([linear(J, V)])).page
    assert page.locator("svg .box").count() == 3
    details = page.locator("aside.details")
    page.hover("g.box.output")
    assert "program.py, line 3" in details.inner_text()
    assert "y = f(x)" in details.inner_text()
    assert "g @ J" in details.inner_text()
    page.hover("h1")
    page.focus("g.box.leaf")
    assert "x, a leaf" in details.inner_text()


def test_the_keyboard_reaches_everything(visit: Any) -> None:
    page = visit(page_of([linear(J, V)])).page
    seen = []
    for _ in range(12):
        page.keyboard.press("Tab")
        seen.append(
            page.evaluate(
                "(document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent)"
                ".split(';')[0].trim()"
            )
        )
        outline = page.evaluate(
            "(e => e.closest('svg') ? getComputedStyle(e.querySelector('.face')).strokeWidth"
            " : getComputedStyle(e).outlineStyle)(document.activeElement)"
        )
        assert outline not in ("none", "0px", "1.4px"), seen
    assert seen[:4] == ["Smaller", "Larger", "Fit into the window", "v = [1, 10, 100]"]
    start = seen.index("y[0]")
    assert seen[start : start + 3] == ["y[0]", "v[0], the weight of y[0]", "y[1]"]


def test_arrow_keys_move_along_the_graph(visit: Any) -> None:
    page = visit(page_of([linear(J, V)]), width=500).page
    page.focus("g.box.covector")
    page.keyboard.press("ArrowDown")
    assert "output" in page.evaluate("document.activeElement.getAttribute('class')")
    page.keyboard.press("ArrowDown")
    assert "leaf" in page.evaluate("document.activeElement.getAttribute('class')")
    page.keyboard.press("ArrowUp")
    assert "output" in page.evaluate("document.activeElement.getAttribute('class')")


def test_ten_thousand_steps_open_group_by_group(visit: Any) -> None:
    page = visit(page_of([chain(10_000, period=7)])).page
    before = page.locator("g.box").count()
    assert before <= 42
    page.locator("g.box.loop").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("g.box.frame").count() == 1
    assert page.locator("g.box").count() > before
    assert page.evaluate("document.activeElement.getAttribute('aria-expanded')") == "true"
    page.keyboard.press("Enter")
    assert page.locator("g.box").count() == before
    page.click("summary:text('All 10000 steps')")
    # The list is made by the event that opening it sends, which comes after the click has returned.
    page.wait_for_selector("table.steps tbody tr")
    assert page.locator("table.steps tbody tr").count() == 100


@pytest.mark.parametrize("name", ["small", "large", "wide"])
def test_a_phone_does_not_scroll_sideways(visit: Any, name: str) -> None:
    wide = linear(np.ones((30, 30)), np.arange(30.0), code="total_of_everything.backward(gradient)" * 3)
    explanation = {"small": linear(J, V), "large": chain(10_000), "wide": wide}[name]
    page = visit(page_of([explanation]), width=360).page
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_the_page_is_dark_where_the_reader_s_system_is(visit: Any) -> None:
    html = page_of([linear(J, V)])
    look = "getComputedStyle(document.body)['background-color']"
    light, dark = (visit(html, dark=dark).page.evaluate(look) for dark in (False, True))
    assert light == "rgb(255, 255, 255)"
    assert max(int(part) for part in dark[4:-1].split(",")) < 64


def test_words_of_the_program_stay_words(visit: Any) -> None:
    page = visit(page_of([linear(J, V, code=HOSTILE, leaf=HOSTILE, line=HOSTILE)]))
    assert page.texts("h1") == [HOSTILE]
    assert page.page.locator("img").count() == 0
    assert page.page.title() == HOSTILE


def test_several_calls_are_chosen_from_a_list(visit: Any) -> None:
    page = visit(page_of([linear(J, V), linear([[5.0]], [2.0], code="z.backward()")]))
    page.page.select_option("nav select", "1")
    assert page.texts("h1") == ["z.backward()"]
    assert total(page) == [10.0]


def test_a_call_told_in_brief_has_no_picture(visit: Any) -> None:
    brief = linear(J, V)
    brief["graph"] = {"nodes": [], "edges": []}
    brief["leaves"][0].update(jacobian=None, jacobians=[], check=None)
    page = visit(page_of([brief]))
    assert page.page.locator("svg").count() == 0
    assert page.texts("code.after") == ["[26, 1240]"]


def test_a_program_without_calls(visit: Any) -> None:
    assert "No call" in visit(page_of([])).page.inner_text("main")


def test_numbers_as_text(visit: Any) -> None:
    texts = {
        0.1: "0.1", 100.0: "100", -1.5: "−1.5", 1 / 3: "0.33333", 5.5e-10: "5.5e−10", 1e20: "1e20",
        123456.7: "123457", -0.0: "0", 20.50: "20.5", 1e7: "1e7", 1234567.8: "1.235e6",
    }  # fmt: skip
    page = visit(page_of([linear([list(texts)], [1.0])]))
    assert page.texts("tbody td.number:not(.product)") == list(texts.values())


def test_the_seeds_numbers_are_on_their_pages(visit: Any) -> None:
    page = visit(page_of([explained(case) for case in CASES]))
    for place, case in enumerate(CASES):
        page.page.select_option("nav select", str(place))
        rows = page.page.locator("table.covector-table tbody tr").count()
        if not rows:  # a scalar: the gradient in the shape of the leaf
            cells = page.page.locator("td.cell").all()
            numbers = [float(cell.get_attribute("data-value")) for cell in cells]
            assert numbers == np.ravel(case.gradient).tolist(), case.name
            continue
        width = np.size(case.gradient)
        J = np.reshape(exact(page, "tbody td.number:not(.product)"), (rows, width))
        batch = rows * width // np.size(case.jacobian)
        assert J.tolist() == np.tile(np.reshape(case.jacobian, (-1, width)), (batch, 1)).tolist(), case.name
        assert exact(page, "tfoot td.number") == np.ravel(case.gradient).tolist(), case.name
        # Worked out anew in the page, from its J and an edited v.
        page.page.click("button:text('v = 1 everywhere')")
        assert exact(page, "tfoot td.number") == J.sum(0).tolist(), case.name


def test_a_weight_that_every_round_of_a_loop_shares(visit: Any) -> None:
    explanation = chain(36)
    weights = [node(number, "leaf", "AccumulateGrad", variable=f"w{number}") for number in range(36, 39)]
    explanation["graph"]["nodes"] += weights
    explanation["graph"]["edges"] += [
        edge(step, weight["id"], 1.0) for step in range(1, 35) for weight in weights
    ]
    page = visit(page_of([explanation])).page
    assert page.locator("g.box.leaf").count() == 4
    assert page.locator(".pane path.arrow").count() == 1 + 35 + 34 * 3
