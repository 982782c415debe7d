"""Source files of the service before and after the migration, and what changed between them."""

import difflib
import random

from session.shop import ENTITIES, Entity

_OLD = {
    "int": "Integer",
    "text": "String(255)",
    "time": "DateTime",
    "money": "Numeric(10, 2)",
    "ratio": "Float",
    "bool": "SmallInteger",
    "json": "Text",
}
_NEW = {
    "int": ("int", "BigInteger"),
    "text": ("str", "Text"),
    "time": ("datetime", "DateTime(timezone=True)"),
    "money": ("Decimal", "Numeric(12, 2)"),
    "ratio": ("Decimal", "Numeric(5, 4)"),
    "bool": ("bool", "Boolean"),
    "json": ("dict[str, Any]", "JSONB"),
}


def old_model(entity: Entity) -> str:
    """Write the class of a table for the old database."""
    lines = [
        f"class {entity.class_name}(db.Model):",
        f'    __tablename__ = "{entity.table}"',
        '    __table_args__ = {"mysql_charset": "utf8", "mysql_engine": "InnoDB"}',
        "",
        "    id = db.Column(db.Integer, primary_key=True, autoincrement=True)",
    ]
    lines += [f"    {name} = db.Column(db.{_OLD[kind]})" for name, kind in entity.fields]
    lines += [
        "",
        "    def to_dict(self):",
        "        return {",
        '            "id": self.id,',
        *(f'            "{name}": self.{name},' for name, _ in entity.fields),
        "        }",
    ]
    return "\n".join(lines) + "\n"


def new_model(entity: Entity) -> str:
    """Write the class of a table for the new database."""
    lines = [
        f"class {entity.class_name}(Base):",
        f'    __tablename__ = "{entity.table}"',
        "",
        "    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)",
    ]
    for name, kind in entity.fields:
        python, column = _NEW[kind]
        key = f', ForeignKey("{name[:-3]}s.id"), index=True' if name.endswith("_id") else ""
        lines.append(f"    {name}: Mapped[{python}] = mapped_column({column}{key})")
    return "\n".join(lines) + "\n"


def old_routes(entity: Entity) -> str:
    """Write the old handlers."""
    name, table, cls = entity.name, entity.table, entity.class_name
    return f"""@bp.route("/{table}/<int:{name}_id>", methods=["GET"])
def get_{name}({name}_id):
    row = {cls}.query.get({name}_id)
    if row is None:
        abort(404)
    return jsonify(row.to_dict())


@bp.route("/{table}", methods=["GET"])
def list_{table}():
    page = int(request.args.get("page", 1))
    query = {cls}.query.order_by({cls}.id.desc())
    for field in ({", ".join(f'"{field}"' for field, _ in entity.fields[:3])}):
        if request.args.get(field):
            query = query.filter(getattr({cls}, field) == request.args[field])
    rows = query.limit(50).offset((page - 1) * 50).all()
    return jsonify([row.to_dict() for row in rows])


@bp.route("/{table}", methods=["POST"])
def create_{name}():
    row = {cls}(**request.get_json(force=True))
    db.session.add(row)
    db.session.commit()
    current_app.logger.info("created {name} %s", row.id)
    return jsonify(row.to_dict()), 201
"""


def new_routes(entity: Entity) -> str:
    """Write the new handlers."""
    name, table, cls = entity.name, entity.table, entity.class_name
    return f"""@router.get("/{table}/{{{name}_id}}")
async def get_{name}({name}_id: int, session: SessionDep) -> {cls}Out:
    row = await session.get({cls}, {name}_id)
    if row is None:
        raise HTTPException(404, f"no {name} {{{name}_id}}")
    return {cls}Out.model_validate(row)


@router.get("/{table}")
async def list_{table}(
    session: SessionDep, after: int | None = None, limit: Annotated[int, Query(le=200)] = 50
) -> list[{cls}Out]:
    query = select({cls}).order_by({cls}.id.desc()).limit(limit)
    if after is not None:
        query = query.where({cls}.id < after)
    return [{cls}Out.model_validate(row) for row in await session.scalars(query)]


@router.post("/{table}", status_code=201)
async def create_{name}(body: {cls}In, session: SessionDep) -> {cls}Out:
    row = {cls}(**body.model_dump())
    session.add(row)
    await session.commit()
    log.info("created {name}", id=row.id)
    return {cls}Out.model_validate(row)
"""


def tests(entity: Entity) -> str:
    """Write a test file."""
    name, table = entity.name, entity.table
    body = "\n".join(f'        "{field}": make.{kind}(),' for field, kind in entity.fields)
    return f"""async def test_a_new_{name}_can_be_read_back(client, make):
    body = {{
{body}
    }}
    created = await client.post("/{table}", json=body)
    assert created.status_code == 201
    again = await client.get(f"/{table}/{{created.json()['id']}}")
    assert again.json() == created.json()


async def test_an_unknown_{name}_is_404(client):
    assert (await client.get("/{table}/999999999")).status_code == 404


async def test_{table}_are_listed_newest_first(client, make):
    ids = [(await client.post("/{table}", json=make.{name}())).json()["id"] for _ in range(3)]
    listed = await client.get("/{table}?limit=3")
    assert [row["id"] for row in listed.json()] == ids[::-1]
"""


_WRITERS = {
    "old_model": old_model,
    "new_model": new_model,
    "old_routes": old_routes,
    "new_routes": new_routes,
    "tests": tests,
}


def program(_: random.Random, which: str, *names: str) -> str:
    """Show a file, with line numbers, as a reading tool does."""
    text = "\n\n".join(_WRITERS[which](ENTITIES[name]) for name in names)
    return "\n".join(f"{at:>4}  {line}" for at, line in enumerate(text.splitlines(), start=1))


def diff(_: random.Random, part: str, *names: str) -> str:
    """Show what the migration changes: ``model`` or ``routes``."""
    shown = []
    for name in names:
        entity = ENTITIES[name]
        old = _WRITERS[f"old_{part}"](entity).splitlines(keepends=True)
        new = _WRITERS[f"new_{part}"](entity).splitlines(keepends=True)
        path = f"order_intake/{part}s/{name}.py".replace("ss/", "s/")
        shown.append("".join(difflib.unified_diff(old, new, f"a/{path}", f"b/{path}", n=2)))
    return "\n".join(shown)
