"""No text that we make may hold what looks like somebody's personal data (SPEC §3.4)."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from bazaarbench.catalogue import load_shipped
from bazaarbench.personas import PopulationSpec, make_population
from bazaarbench.personas.private_data import Finding, find

SIGNS = {
    "phone": [
        *("(212) 555-2368", "212.555.2368", "1-212-555-2368", "2125552368", "+1 212 555 2368"),
        *("+44 20 7123 4567", "020 7123 4567", "+49 (0)171 1234567", "0171/1234567"),
        *("0049 171 1234567", "(030) 1234567", "06 12 34 56 78", "+33 6 12 34 56 78"),
        *("+39 347 123 4567", "+91 98765 43210", "138-1234-5678", "(11) 91234-5678"),
        *("090-1234-5678", "0412 345 678", "2 1 2 5 5 5 2 3 6 8", "212–555–2368"),
        *("２１２－５５５－２３６８", "two one two, five five five, two three six eight"),
    ],
    "email": [
        *("jo.smith@gmail.com", "jo+x@mail.shop.co.uk", "jörg@müller.de", "jo (at) web (dot) de"),
        *("jo at gmail dot com", "jo at gmail.com", "jo@notexample.com", "jo@example.com.ru"),
    ],
    "iban": [
        *("DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432", "nl91 abna 0417 1643 00"),
        "FR14 2004 1010 0505 0001 3M02 606",
    ],
    "card": [
        *("4242 4242 4242 4242", "5555-5555-5555-4444", "378282246310005"),
        *("card ending in 4821", "last four digits are 4821", "cvv: 123"),
    ],
    "national_id": ["536-90-4399", "536 90 4399", "AB 12 34 56 C", "passport number X1234567"],
    "address": [
        *("221b Baker Street", "12 Main St", "14 Maple Drive", "1600 Pennsylvania Ave"),
        *("9, Old Mill Lane", "Hauptstraße 12", "Musterstr. 5a", "Via Roma 12"),
        *("12 rue de Rivoli", "Calle Mayor 3", "Rue de la Paix, 5", "PO Box 123", "apt 4B"),
        *("pick it up at 9 elm court", ", IL 62704", "Kerkstraat 10", "SW1A 1AA"),
    ],
    "coordinates": [
        *("40.7128, -74.0060", "52°31'12\" N 13°24'18\" E", "52.52° N, 13.40° E", "lat: 52.5200"),
    ],
    "network_address": [
        *("81.2.69.142", "2a00:1450:4001:81b:0:0:0:200e", "2a00:1450::200e", "3c:22:fb:12:9a:0e"),
    ],
    "web_address": ["https://jo-smith.net/me", "www.josmith.de", "http://josmith.example.com.ru"],
    "birth_date": ["born on 12 March 1988", "DOB: 03/12/1988", "date of birth 1988-03-12"],
    "handle": [
        *("@jo_smith92", "venmo me at jo-smith_9", "Venmo: josmith", "paypal.me/josmith"),
        *("instagram.com/jo.smith", "$josmith", "my handle is bob77", "Telegram jo_smith"),
    ],
}


@pytest.mark.parametrize(
    ("kind", "sign"), [(kind, sign) for kind, signs in SIGNS.items() for sign in signs]
)
def test_a_sign_is_found_with_its_kind_and_place_within_a_sentence(kind: str, sign: str) -> None:
    for text in (sign, f"Write to me, {sign}, any time.", f"Größe – {sign}"):
        (found,) = find(text)
        assert found.kind == kind
        assert text[found.start : found.start + len(found.text)] == found.text
        assert sign in found.text or found.text in sign
        assert 2 * len(found.text) >= len(sign)


@pytest.mark.parametrize(
    "text",
    [
        # Reserved for fiction and documentation.
        *("(212) 555-0123", "call 555-0199", "+1 212 555 0142", "212-555-0100"),
        *("jo@example.com", "jo@mail.example.org", "a@example-synth.invalid", "x@shop.test"),
        *("+44 7700 900123", "020 7946 0999", "01 99 00 12 34", "+61 491 570 156"),
        *("five five five zero one two three", "987-65-4321"),
        *("192.0.2.7", "198.51.100.20", "192.168.0.1", "127.0.0.1", "2001:db8::1"),
        *("https://shop.example.com/x?y=1", "00-00-5E-00-53-01"),
        # What titles, prices and advice are made of.
        *("Veltari Dune 2 - 128GB - Sage Green (GSM Unlocked)", "UPC 190198451736"),
        *("Apple iPhone 8 64GB MQ6K2LL/A A1905", "Sony WH-1000XM4 70-200mm f/4", "PS4 1TB"),
        *("500 GB Hard Drive", "27 Speed Road Bike", "Street Fighter 2 Turbo"),
        *("IMEI 356938035643809", "a 12-inch bike, 21 speeds"),
        *("12 Piece Place Setting", "connects via Bluetooth 5", "crawled 2020-06-01 10:30:00"),
        *("firmware 4.2.0.18", "at 10:30:45 sharp", "Vexmere S8 1TB", "posted July 2020"),
        *("06-12-2019 10:30", "Phone Case for 2017 2018 2019", "1/12 Scale, 10.2 in, 700c"),
        *("I ask $1,299.00 and it cost 1299 dollars", "I never use PayPal or Venmo."),
        *("look at amazon.com first", "Only 3 phones on the road", "Model 922-9355"),
        *("4 of 5 stars at the market square", "Meet at Elm Square", "5 stars. Way better"),
        *("two or three days, one by one", "card with 4 GB", "4111 1111 1111 1112"),
        "GB82 WEST 1234 5698 7654 33",
    ],
)
def test_reserved_values_and_the_words_of_a_market_are_allowed(text: str) -> None:
    assert find(text) == []


def test_several_findings_come_in_order_and_do_not_overlap() -> None:
    found = find("Jo, 12 Main St, +49 171 1234567, jo@web.de, DE89 3704 0044 0532 0130 00.")
    assert [one.kind for one in found] == ["address", "phone", "email", "iban"]
    assert found[2] == Finding("email", "jo@web.de", 33)


def test_invisible_characters_do_not_hide_a_number() -> None:
    assert [one.kind for one in find("212\u00a0555\u200b2368")] == ["phone"]
    assert [one.kind for one in find("+49\u2009171\u20071234567")] == ["phone"]


@pytest.mark.parametrize(
    "part",
    [
        *("1 ", "a", "0", "12 Main ", "a at ", "DE12 ", "+1 ", "2-", "one ", "@", "venmo ", "(0"),
        *("1.2.", "a1:", "00:", "12° ", "born ", "https://", "www.a.", "SW1A ", "lat 1."),
        *("$a-", "Rue de la ", "a.b.", "1,", "-1.12345", "fax 0-0-", "my handle is ", "12 "),
    ],
)
def test_no_text_makes_the_search_slow(part: str) -> None:
    """About 15 µs a character at worst; what grows with the square would take minutes."""
    start = time.process_time()
    find(part * (30_000 // len(part)))
    assert time.process_time() - start < 5


def test_the_shipped_catalogue_holds_none() -> None:
    for item in load_shipped().items:
        text = "\n".join((item.title, item.brand, item.model, item.description))
        assert find(text) == [], text


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _strings(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _strings(part)


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_no_field_of_a_persona_holds_any(seed: int) -> None:
    spec = PopulationSpec(seed=seed, agents=100, units=(3, 8), quality="spread")
    for plan in make_population(load_shipped(), spec):
        written = [plan.persona.model_dump()]
        written += [memory.content for memory in plan.memories]
        written += [rating.body for rating in plan.history_ratings]
        for text in _strings(written):
            assert find(text) == [], text
