"""
Vectorized batch simulator of 打滚子 (da gunzi).

The names in `__all__` are imported on first use: `import gunzi_sim` loads nothing heavy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gunzi_sim.advice import Advice as Advice
    from gunzi_sim.api import Verification as Verification
    from gunzi_sim.api import advise as advise
    from gunzi_sim.api import compare as compare
    from gunzi_sim.api import deals as deals
    from gunzi_sim.api import equity as equity
    from gunzi_sim.api import load_equity as load_equity
    from gunzi_sim.api import open_run as open_run
    from gunzi_sim.api import policy as policy
    from gunzi_sim.api import rules as rules
    from gunzi_sim.api import simulate as simulate
    from gunzi_sim.api import verify as verify
    from gunzi_sim.comparison import Comparison as Comparison
    from gunzi_sim.game import InputError as InputError
    from gunzi_sim.game import PolicyError as PolicyError
    from gunzi_sim.game import RecordError as RecordError
    from gunzi_sim.game import Rules as Rules
    from gunzi_sim.game import RulesError as RulesError
    from gunzi_sim.match_equity import Equity as Equity
    from gunzi_sim.match_equity import win_probability_of as win_probability_of
    from gunzi_sim.results import Run as Run
    from gunzi_sim.results import Summary as Summary
    from gunzi_sim.run_files import BusyError as BusyError

    __version__: str

_HOME = {
    "advise": "api",
    "compare": "api",
    "deals": "api",
    "equity": "api",
    "load_equity": "api",
    "open_run": "api",
    "policy": "api",
    "rules": "api",
    "simulate": "api",
    "verify": "api",
    "Verification": "api",
    "Advice": "advice",
    "Comparison": "comparison",
    "Equity": "match_equity",
    "win_probability_of": "match_equity",
    "Run": "results",
    "Summary": "results",
    "Rules": "game",
    "BusyError": "run_files",
    "InputError": "game",
    "PolicyError": "game",
    "RecordError": "game",
    "RulesError": "game",
}

__all__ = [*_HOME, "__version__"]


def __getattr__(name: str) -> Any:
    """The public name `name`, imported now (PEP 562)."""
    if name in _HOME:
        value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    elif name == "__version__":
        from importlib.metadata import version

        value = version("gunzi-sim")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Public names, imported or not."""
    return sorted({*globals(), *__all__})
