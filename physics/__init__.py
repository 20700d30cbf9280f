"""Trials in a physics engine: a grasp is carried out, lifted, shaken and pushed until it slips. Plan -> TrialResult."""

from physics.noise import Noise, noisy
from physics.parts import Parts, parts_of
from physics.result import Frame, Grip, Phase, TrialResult
from physics.run import score, varied
from physics.settings import Settings
from physics.trial import trial

__all__ = [
    "Frame",
    "Grip",
    "Noise",
    "Parts",
    "Phase",
    "Settings",
    "TrialResult",
    "noisy",
    "parts_of",
    "score",
    "trial",
    "varied",
]
