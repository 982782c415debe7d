"""Import, first use of a vocabulary, size of the wheel."""

import io
import statistics
import zipfile
from importlib.metadata import files
from pathlib import Path

from benches import probes
from benches.measure import effort, unit


class Startup:
    """What a process pays once."""

    @unit("ms")
    def track_import(self) -> float:
        runs = [probes.run("startup", "import") for _ in range(2 * effort.least + 1)]
        return statistics.median(run["seconds"] for run in runs) * 1e3


class Vocabulary:
    """The first count with an encoding, which builds its tables."""

    params = ("o200k_base", "cl100k_base")
    param_names = ("encoding",)

    @unit("ms")
    def track_first_use(self, encoding: str) -> float:
        runs = [probes.run("startup", encoding) for _ in range(effort.least)]
        return statistics.median(run["seconds"] for run in runs) * 1e3


class Wheel:
    """What is downloaded: the files of the package, deflated as in a wheel."""

    @unit("MB")
    def track_size(self) -> float:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in files("chatfold") or []:
                path = Path(str(file.locate()))
                if path.is_file() and path.suffix != ".pyc":
                    archive.write(path, str(file))
        return len(packed.getvalue()) / 1e6
