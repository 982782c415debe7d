"""The files beside this one: good ones, and bad ones that open with what is said about them."""

from pathlib import Path

HERE = Path(__file__).parent
GOOD = sorted((HERE / "good").glob("*.yaml"))
BAD = sorted((HERE / "bad").glob("*.yaml"))


def pinned_message(path: Path) -> str:
    """Give the message that a bad file opens with; FILE stands for its path."""
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.removeprefix("#").removeprefix(" "))
    return "\n".join(lines).replace("FILE", str(path))


def written(folder: Path, content: str | bytes) -> Path:
    """Write a file of a product."""
    path = folder / "product.yaml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path
