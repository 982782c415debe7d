"""Writes agent_session.json: a long session of an agent that migrates a service.

The story is told in session/story.toml; what the tools answer is made up with a fixed seed, so that
the file comes out the same each time.
"""

import json
import tomllib
from pathlib import Path

from session.weaving import Weaver

_HERE = Path(__file__).parent
_SEED = 812


def main() -> None:
    """Write the file."""
    story = tomllib.loads((_HERE / "session" / "story.toml").read_text(encoding="utf-8"))
    messages = Weaver(_SEED).messages(story)
    text = json.dumps(messages, ensure_ascii=False, indent=1)
    (_HERE / "agent_session.json").write_text(f"{text}\n", encoding="utf-8")
    print(f"{len(messages)} messages")


if __name__ == "__main__":
    main()
