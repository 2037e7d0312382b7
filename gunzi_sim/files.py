"""Text files that are there complete or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO

from gunzi_sim.game import InputError, shown


@contextmanager
def written(path: str, name: str = "path") -> Iterator[IO[str]]:
    """
    A text file in UTF-8 that takes its place when the block ends well; devices and pipes are written directly.

    Parameters
    ----------
    path : str
        An existing file is replaced.
    name : str
        What to call the path in a message.

    Raises
    ------
    InputError
        The path names no file in a directory that exists.
    OSError
        Writing failed; what was there before is still there.
    """
    if not path or os.path.isdir(path) or not os.path.isdir(os.path.dirname(path) or "."):
        raise InputError(f"{name} must name a file in a directory that exists, got {shown(path)}")
    if os.path.exists(path) and not os.path.isfile(path):  # a device or pipe
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            yield file
        return
    temporary = f"{path}.part-{os.getpid()}"
    try:
        with open(temporary, "w", encoding="utf-8", newline="\n") as file:
            yield file
        os.replace(temporary, path)
    finally:
        with suppress(OSError):
            os.unlink(temporary)
