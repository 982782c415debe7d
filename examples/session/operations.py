"""What machines answer: logs, traces, metrics, requests, pods, files and tests."""

import json
import random

from session.shop import ENTITIES
from session.values import moment, row, value

_EVENTS = (
    ("INFO", 'request method=GET path="/{table}/{id}" status=200 duration_ms={ms}'),
    ("INFO", 'request method=POST path="/{table}" status=201 duration_ms={ms}'),
    ("INFO", 'created {name} id={id} recipient="{recipient}"'),
    ("DEBUG", "pool checked_out={small} overflow=0 waiting=0"),
)
_SHADOW = (
    "INFO",
    'shadow compare path="/{table}/{id}" equal=true mysql_ms={ms} postgres_ms={small}',
)
_SHARE_OF_TROUBLE = 0.25
_PODS = 6
_TROUBLE = {
    "shadow": (
        "WARNING",
        'shadow compare path="/{table}/{id}" equal=false field={field} mysql="{value}" postgres="{other}"',
    ),
    "pool": (
        "ERROR",
        'QueuePool limit of size 10 overflow 5 reached, connection timed out, timeout 30.00 path="/{table}"',
    ),
    "lock": (
        "ERROR",
        'canceling statement due to lock timeout; relation={table} waited_ms=5000 path="/{table}/{id}"',
    ),
    "charset": (
        "ERROR",
        "(1366, \"Incorrect string value: '\\\\xF0\\\\x9F\\\\x8E\\\\x82' for column 'message'\") id={id}",
    ),
    "calm": ("INFO", 'request method=GET path="/healthz" status=200 duration_ms=1'),
}


def logs(chance: random.Random, trouble: str, count: str, day: str) -> str:
    """Show lines of a log of a day, some of them about a trouble."""
    events = (*_EVENTS, _SHADOW) if trouble in ("shadow", "pool") else _EVENTS
    lines = []
    for at in range(int(count)):
        entity = chance.choice(list(ENTITIES.values()))
        field, kind = chance.choice(entity.fields)
        level, text = (
            _TROUBLE[trouble] if chance.random() < _SHARE_OF_TROUBLE else chance.choice(events)
        )
        text = text.format(
            table=entity.table,
            name=entity.name,
            id=chance.randrange(400_000, 900_000),
            ms=chance.randrange(4, 900),
            small=chance.randrange(1, 12),
            recipient=value("recipient", "text", chance),
            field=field,
            value=value(field, kind, chance),
            other=value(field, kind, chance),
        )
        stamp = f"2025-{day}T09:{at // 20 % 60:02}:{at * 3 % 60:02}.{chance.randrange(1000):03}Z"
        lines.append(
            f"{stamp} {level:<7} order-intake-{chance.choice('abc')}{chance.randrange(9)} {text}"
        )
    return "\n".join(lines)


def trace(chance: random.Random, name: str, error: str) -> str:
    """Show a stack trace that ends in an error."""
    entity = ENTITIES[name]
    line = chance.randrange(20, 180)
    return f"""Traceback (most recent call last):
  File "/app/.venv/lib/python3.12/site-packages/starlette/middleware/errors.py", line 164, in __call__
    await self.app(scope, receive, _send)
  File "/app/.venv/lib/python3.12/site-packages/fastapi/routing.py", line 301, in app
    raw_response = await run_endpoint_function(
  File "/app/order_intake/routes/{name}.py", line {line}, in create_{name}
    await session.commit()
  File "/app/.venv/lib/python3.12/site-packages/sqlalchemy/ext/asyncio/session.py", line 1014, in commit
    await greenlet_spawn(self.sync_session.commit)
  File "/app/.venv/lib/python3.12/site-packages/sqlalchemy/engine/default.py", line 942, in do_execute
    cursor.execute(statement, parameters)
  File "/app/.venv/lib/python3.12/site-packages/sqlalchemy/dialects/postgresql/asyncpg.py", line 568, in execute
    self._adapt_connection.await_(self._prepare_and_execute(operation, parameters))
{error}
[SQL: INSERT INTO {entity.table} ({", ".join(field for field, _ in entity.fields)}) VALUES ({", ".join(f"${at}" for at in range(1, len(entity.fields) + 1))}) RETURNING {entity.table}.id]
(Background on this error at: https://sqlalche.me/e/20/dbapi)"""  # noqa: S608 (nothing runs it)


def tested(chance: random.Random, *words: str) -> str:
    """Show the output of a test run: the test that fails with its entity, its error, files."""
    failing, error, *names = words or ("", "")
    shown = [ENTITIES[name] for name in names] or list(ENTITIES.values())
    lines = [
        "============================= test session starts ==============================",
        "platform linux -- Python 3.12.6, pytest-8.3.3, pluggy-1.5.0",
        "plugins: asyncio-0.24.0, anyio-4.6.0",
        "",
    ]
    passed = 0
    for at, entity in enumerate(shown, start=1):
        count = chance.randrange(6, 22)
        marks = "." * count
        if failing.endswith(entity.name):
            marks = f"{marks[:-2]}F."
            count -= 1
        passed += count
        lines.append(
            f"tests/test_{entity.table}.py {marks}".ljust(72) + f"[{100 * at // len(shown):>3}%]"
        )
    seconds = chance.randrange(300, 4_000) / 100
    if not failing:
        return "\n".join(
            [
                *lines,
                "",
                f"============================= {passed} passed in {seconds:.2f}s =============================",
            ]
        )
    name, _, entity_name = failing.partition("@")
    return "\n".join(
        [
            *lines,
            "",
            "=================================== FAILURES ===================================",
            f"_____ {name} _____",
            "",
            trace(chance, entity_name, f"E   {error}"),
            "=========================== short test summary info ============================",
            f"FAILED tests/test_{ENTITIES[entity_name].table}.py::{name} - {error}",
            f"========================= 1 failed, {passed} passed in {seconds:.2f}s =========================",
        ]
    )


def answer(chance: random.Random, name: str, count: str) -> str:
    """Show the answer of the service as JSON."""
    entity = ENTITIES[name]
    items = []
    for _ in range(int(count)):
        item: dict[str, object] = {"id": chance.randrange(400_000, 900_000)}
        texts = row(entity, chance)
        item |= {
            field: int(texts[field]) if kind == "int" else texts[field]
            for field, kind in entity.fields
        }
        items.append(item)
    return json.dumps(items, ensure_ascii=False, indent=2)


def metrics(chance: random.Random, name: str, level: str) -> str:
    """Show a metric over time, around a level."""
    around = float(level)
    start = int(moment(chance, day=40).timestamp())
    points = [[start + 60 * at, round(around * chance.uniform(0.82, 1.2), 2)] for at in range(24)]
    series = [
        {"metric": {"__name__": name, "pod": f"order-intake-{pod}"}, "values": points}
        for pod in ("a3", "b7")
    ]
    return json.dumps({"status": "success", "data": {"resultType": "matrix", "result": series}})


def pods(chance: random.Random, state: str = "Running") -> str:
    """Show the pods of the service; the last one is in some state."""
    lines = ["NAME                            READY   STATUS             RESTARTS   AGE"]
    for at in range(1, _PODS + 1):
        last = at == _PODS and state != "Running"
        lines.append(
            f"order-intake-{chance.randrange(16**9):09x}-{chance.choice('bcdfghjk')}{chance.randrange(16**4):04x}"
            f"   {'0/1' if last else '1/1'}     {state if last else 'Running':<18} {chance.randrange(9) if last else 0:<10} {chance.randrange(1, 59)}m"
        )
    return "\n".join(lines)


def files(chance: random.Random, folder: str) -> str:
    """Show the files of a folder."""
    paths = [f"tests/test_{entity.table}.py" for entity in ENTITIES.values()]
    paths += [
        f"{folder}/{part}/{name}.py"
        for part in ("models", "routes", "schemas", "repositories")
        for name in ENTITIES
    ]
    return "\n".join(f"{chance.randrange(600, 9_000):>7}  {path}" for path in sorted(paths))


def found(chance: random.Random, text: str, count: str) -> str:
    """Show where a text stands in the source."""
    lines = []
    for _ in range(int(count)):
        entity = chance.choice(list(ENTITIES.values()))
        part = chance.choice(("models", "routes", "repositories"))
        before = "    " * chance.randrange(1, 4)
        lines.append(
            f"order_intake/{part}/{entity.name}.py:{chance.randrange(3, 240)}:{before}{text}"
        )
    return "\n".join(sorted(set(lines)))


def plain(_: random.Random, *words: str) -> str:
    """Show a text as it is; a backslash and an n start a line."""
    return " ".join(words).replace("\\n", "\n")
