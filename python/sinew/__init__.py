"""sinew from Python: models with muscles and tendons, simulated and made to follow a motion, as numpy arrays.

    import sinew
    hand = sinew.load("hand")
    replay = hand.track("fist")
    replay["activation/FDP2"]          # over time
    state = hand.state()
    state["muscle.activation"] = 0.1
    state.step(100)
    state["strand.tension"]            # the state's own memory, not a copy

docs/python.md is the guide. Errors of the library are raised as sinew.Error with its own message.
"""
from ._library import Error, sn as _sn
from ._model import Model, load
from ._replay import Replay, read
from ._state import State, fields

__all__ = ["Error", "Model", "Replay", "State", "fields", "load", "read"]
__version__ = _sn.sn_version().decode()
