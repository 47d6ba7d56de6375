"""The door for text from outside: whatever form a key comes in, no piece of it passes."""

from __future__ import annotations

import base64
import html
import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.reason.llm.conversation import LanguageModelError, Message
from knowflow.reason.llm.endpoint import Endpoint
from knowflow.reason.llm.secrets import FRAGMENT, HIDDEN, Scrubber, keys_of
from knowflow.reason.llm.settings import Settings
from knowflow_bench.openai_server import Reply, openai_server

KEY = "sk-proj-aZ09_Qx7/+tU4vM-2kLw8RbT"
ASK = (Message("user", "How are you?"),)
PIECES = [KEY[start : start + FRAGMENT] for start in range(len(KEY) - FRAGMENT + 1)]
WORDS = st.text(max_size=20)


def gives_away(text: str) -> bool:
    return any(piece.lower() in text.lower() for piece in PIECES)


@given(before=WORDS, after=WORDS, start=st.integers(0, len(KEY) - 8), size=st.integers(8, 99), upper=st.booleans())
def test_no_piece_of_the_key_is_left(before: str, after: str, start: int, size: int, upper: bool) -> None:
    piece = KEY[start : start + size]
    left = Scrubber(KEY).text(f"{before}{piece.upper() if upper else piece}{after}")
    assert not gives_away(left)
    assert HIDDEN in left


@given(st.text(alphabet="abcdefghij 0123456789\n", max_size=80))
def test_all_other_text_is_left_as_it_is(text: str) -> None:
    assert Scrubber(KEY).text(text) == text


@pytest.mark.parametrize(
    "written",
    [
        KEY,
        quote(KEY, safe=""),
        "".join(f"%{octet:02x}" for octet in b"-2kLw8RbT"),
        KEY.encode().hex(),
        base64.b64encode(KEY.encode()).decode(),
        base64.b64encode(f"user:{KEY}".encode()).decode(),
        base64.urlsafe_b64encode(f"Bearer {KEY}".encode()).decode(),
        "\n".join(KEY),
        "\u200b".join(KEY),
        " \r\n".join((KEY[:7], KEY[7:14], KEY[14:21], KEY[21:])),
        "".join(f"\\u{ord(character):04x}" for character in KEY),
        "\\n".join(KEY),
        "".join(f"&#{ord(character)};" for character in KEY),
    ],
)  # fmt: skip
def test_a_key_is_known_however_it_is_written(written: str) -> None:
    left = Scrubber(KEY).text(f'{{"because": "{written}", "b": 1}}')
    said = json.loads(left)["because"].replace(HIDDEN, "")
    assert said != json.loads(left)["because"]
    assert len(said) <= FRAGMENT + 2, "digits of what stood around it may be left"


def test_names_lists_and_numbers_are_texts_too() -> None:
    said = {KEY: [1, {"a": (KEY, None, True)}], "n": 1234567890.0}
    assert Scrubber(KEY, "x1234567890")(said) == {HIDDEN: [1, {"a": [HIDDEN, None, True]}], "n": HIDDEN}


def test_short_keys_of_servers_of_ones_own_do_not_blacken_every_text() -> None:
    assert Scrubber("none").text("none of them") == "none of them"
    assert Scrubber("secret7").text("a secret7 and a secret") == f"a {HIDDEN} and a secret"


def test_what_an_address_holds_is_a_key_as_well() -> None:
    assert keys_of("k", "https://me:pass%20word@host/v1?key=0123456789&debug") == ("k", "pass word", "0123456789")
    assert keys_of("", "") == ()


SAID = [KEY, KEY[3:15], f"x{KEY[-9:]}", base64.b64encode(KEY.encode()).decode()]


@pytest.mark.parametrize("said", SAID)
def test_an_answer_has_no_piece_of_the_key_in_any_of_its_parts(said: str) -> None:
    calls = [(said, json.dumps({said: said}))]
    escaped = "".join(f"\\u{ord(character):04x}" for character in said)
    reply = Reply(f'{{"a": "{escaped}", "{said}": ["{html.escape(said)}"]}}', tool_calls=calls, finish=said)
    with openai_server(reply) as server:
        answer = Endpoint(Settings(base_url=server.url, api_key=KEY, model="m")).complete(ASK, {"type": "object"})
    told = json.dumps(answer.to_json(), ensure_ascii=False)
    assert not gives_away(told)
    assert said not in told
    assert answer.data["a"] == HIDDEN or HIDDEN in answer.data["a"]


@pytest.mark.parametrize("status", [200, 400, 401, 404, 500])
@pytest.mark.parametrize("before", [0, 150, 192, 380, 395])
def test_an_error_is_cut_after_it_is_scrubbed(status: int, before: int) -> None:
    said = "." * before + KEY
    reply = Reply(raw=f'{{"choices": [], "x": "{said}"}}'.encode()) if status == 200 else Reply(said, status)
    with openai_server(reply) as server, pytest.raises(LanguageModelError) as caught:
        Endpoint(Settings(base_url=server.url, api_key=KEY, model="m", retries=0)).complete(ASK)
    assert not gives_away(json.dumps(caught.value.to_json(), ensure_ascii=False) + str(caught.value))
