"""Constants: keys of the keyboard as they come with events."""
from . import Key

__all__ = ["Key"]
