"""Notes which public names of an object are used, to find those that no test uses."""

import inspect

used: dict[type, set[str]] = {}


class Watched:
    """Passes everything on, and notes each name."""

    def __init__(self, inner: object) -> None:
        self._inner = inner
        used.setdefault(type(inner), set())

    def __getattr__(self, name: str) -> object:
        used[type(self._inner)].add(name)
        return getattr(self._inner, name)


def unused(*classes: type) -> dict[str, list[str]]:
    """The public methods and properties of each class that were not used."""
    return {
        one.__name__: [
            name
            for name, member in inspect.getmembers(one)
            if not name.startswith("_")
            and (inspect.isfunction(member) or isinstance(member, property))
            and name not in used.get(one, set())
        ]
        for one in classes
    }
