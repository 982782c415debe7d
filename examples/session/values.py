"""Values for the columns of a table."""

import datetime as dt
import random
from collections.abc import Callable

from session import shop

_START = dt.datetime(2025, 9, 1, 6, 30, tzinfo=dt.UTC)


def moment(chance: random.Random, *, day: int | None = None) -> dt.datetime:
    """Pick a moment of the weeks of the story, or of one of its days."""
    days = chance.randrange(60) if day is None else day
    return _START + dt.timedelta(days=days, seconds=chance.randrange(50_000))


def row(entity: shop.Entity, chance: random.Random) -> dict[str, str]:
    """Pick the values of one row: who, what and where go together."""
    person, note, book = (chance.randrange(len(each)) for each in _TOGETHER)
    together = dict(zip(_PERSON, shop.RECIPIENTS[person], strict=True))
    together |= dict(zip(_NOTE, shop.NOTES[note], strict=True))
    together |= dict(zip(_BOOK, shop.BOOKS[book], strict=True))
    return {
        name: together[name] if name in together else value(name, kind, chance)
        for name, kind in entity.fields
    }


def value(name: str, kind: str, chance: random.Random) -> str:
    """Pick a value for a column on its own."""
    own = _BY_NAME.get(name)
    return _BY_KIND[kind](chance) if own is None else own(chance)


_PERSON = ("recipient", "street", "city", "postal_code", "country")
_NOTE = ("language", "message", "signed_by")
_BOOK = ("isbn", "title")
_TOGETHER = (shop.RECIPIENTS, shop.NOTES, shop.BOOKS)


def _recipient(column: int) -> Callable[[random.Random], str]:
    return lambda chance: chance.choice(shop.RECIPIENTS)[column]


def _code(prefix: str, digits: int) -> Callable[[random.Random], str]:
    return lambda chance: f"{prefix}{chance.randrange(10**digits):0{digits}}"


def _one_of(*values: str) -> Callable[[random.Random], str]:
    return lambda chance: chance.choice(values)


_BY_KIND: dict[str, Callable[[random.Random], str]] = {
    "int": lambda chance: str(chance.randrange(1_000, 90_000)),
    "text": _code("", 8),
    "time": lambda chance: moment(chance).strftime("%Y-%m-%d %H:%M:%S+00"),
    "money": lambda chance: f"{chance.randrange(490, 18_900) / 100:.2f}",
    "ratio": _one_of("0.00", "0.07", "0.10", "0.19"),
    "bool": _one_of("t", "f"),
    "json": lambda chance: (
        f'{{"scan": {chance.randrange(10**6)}, "hub": "{chance.choice("ABCD")}7"}}'
    ),
}

_BY_NAME: dict[str, Callable[[random.Random], str]] = {
    "number": _code("PK-2025-", 6),
    "status": _one_of(*shop.STATUSES),
    "currency": _one_of(*shop.CURRENCIES),
    "channel": _one_of(*shop.CHANNELS),
    "note": _one_of("", "", "leave at the door", "bitte klingeln", "置き配希望", "不要放快递柜"),
    "isbn": _one_of(*(isbn for isbn, _ in shop.BOOKS)),
    "title": _one_of(*(title for _, title in shop.BOOKS)),
    "quantity": _one_of("1", "1", "1", "2", "3"),
    "carrier": _one_of(*shop.CARRIERS),
    "tracking_code": _code("TRK", 10),
    "recipient": _recipient(0),
    "street": _recipient(1),
    "city": _recipient(2),
    "postal_code": _recipient(3),
    "country": _recipient(4),
    "place": _recipient(2),
    "reason": _one_of(*shop.REASONS),
    "approved_by": _one_of("j.weber", "y.tanaka", "r.souza", ""),
    "language": _one_of(*(language for language, _, _ in shop.NOTES)),
    "message": _one_of(*(text for _, text, _ in shop.NOTES)),
    "signed_by": _one_of(*(name for _, _, name in shop.NOTES)),
    "code": _code("LESE-", 5),
    "warehouse": _one_of(*shop.WAREHOUSES),
    "pdf_key": _code("invoices/2025/", 7),
}
