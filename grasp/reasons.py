"""Reasons: the closed list of why a candidate was rejected, or a whole plan refused."""

from __future__ import annotations

from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from wrench.errors import InvalidValue


class Reason(StrEnum):
    """Why not. Each has a name (its value), a code that arrays and files hold, and the sentence a user should read.

    Codes are part of the label format: a code is never given another meaning, and new reasons take free codes.
    """

    code: int
    sentence: str

    OK = "ok", 0, "Accepted."

    # What was seen cannot be planned on.
    VIEW_LACKS_INPUT = "view_lacks_input", 1, "The view does not hold what this planner needs."
    EMPTY_MASK = "empty_mask", 2, "The mask is empty: no object was found."
    TOO_SMALL = "too_small", 3, "The object is too small or too thin in the image to have an outline."
    TOUCHES_BORDER = "touches_border", 4, "The object is cut off by the border of the image."
    SEVERAL_OBJECTS = "several_objects", 5, "The mask shows several objects and it is not said which to grasp."
    INVALID_OUTLINE = "invalid_outline", 6, "The outline crosses itself."
    NO_VALID_DEPTH = "no_valid_depth", 7, "No valid depth inside the mask."
    NO_TABLE_PLANE = "no_table_plane", 8, "No table plane was found in the depth image or point cloud."
    EMPTY_CLOUD = "empty_cloud", 9, "The point cloud holds no points of the object."
    NOT_REGISTERED = "not_registered", 10, "The mesh could not be matched to the point cloud in one clear way."
    UNSOUND_MESH = "unsound_mesh", 11, "The mesh does not bound a solid."
    POOR_DATA = "poor_data", 12, "The surface was measured too poorly at the contacts."

    # Nothing to judge.
    NO_CANDIDATES = "no_candidates", 20, "No candidate grasp could be sampled on this object."
    RULE_DOES_NOT_APPLY = "rule_does_not_apply", 21, "The object does not meet what this grasp rule assumes."

    # The gripper cannot get there.
    OVERLAPS = "overlaps", 30, "A fingertip would start inside the object."
    TOO_WIDE = "too_wide", 31, "The gripper does not open wide enough."
    TOO_NARROW = "too_narrow", 32, "The object is narrower than the gripper can close on."
    NO_CONTACT = "no_contact", 33, "Neither jaw meets the object when it closes."
    ONE_SIDED = "one_sided", 34, "Only one of the jaws meets the object when they close."
    MISSES_HEIGHT = "misses_height", 35, "The fingers pass above or below the surface they should touch."
    HITS_TABLE = "hits_table", 36, "The fingertips would be below the table or too close to it."
    UNBALANCED = "unbalanced", 37, "The pads of the wide jaw cannot be made to touch at the same time."
    GRIPPER_IN_OBJECT = "gripper_in_object", 38, "A finger or the body of the gripper would be inside the object."
    APPROACH_BLOCKED = "approach_blocked", 39, "The open gripper would hit something on its way in."
    CLOSING_BLOCKED = "closing_blocked", 40, "The closing fingers would hit something before they touch the object."
    NO_CLEARANCE = "no_clearance", 41, "There is too little room around the object for the gripper."
    FORBIDDEN_REGION = "forbidden_region", 42, "A finger would touch a forbidden region."
    OUT_OF_REACH = "out_of_reach", 43, "The arm cannot reach this pose."
    TOO_TILTED = "too_tilted", 44, "The approach is tilted further than allowed."

    # The grasp would not hold.
    NO_CLOSURE = "no_closure", 60, "The contacts cannot resist every push (no force closure)."
    BELOW_BAR = "below_bar", 61, "Dropped early: it could no longer reach the closure rate required."
    NOT_ANTIPODAL = "not_antipodal", 62, "The line between the contacts leaves a friction cone."

    # The forces do not work out.
    GRIP_SHORTFALL = "grip_shortfall", 80, "Holding the object takes more grip force than the gripper has."
    DAMAGE_CAP = "damage_cap", 81, "Holding the object takes more grip force than it can bear."
    LOAD_LIMIT = "load_limit", 82, "The load exceeds the force or moment the fingers may carry."

    def __new__(cls, value: str, code: int, sentence: str) -> Reason:
        """Make a member whose value is its name, with a code and a sentence attached."""
        member = str.__new__(cls, value)
        member._value_, member.code, member.sentence = value, code, sentence
        return member

    @classmethod
    def _missing_(cls, value: object) -> Reason:
        raise InvalidValue("reason", repr(value), f"one of {', '.join(cls)}")

    @classmethod
    def from_code(cls, code: int) -> Reason:
        """Return the reason with this code; an error for a code that no reason has."""
        if code not in _BY_CODE:
            raise InvalidValue("reason code", code, f"one of {', '.join(map(str, _BY_CODE))}")
        return _BY_CODE[int(code)]

    @classmethod
    def accepted(cls, count: int) -> NDArray[np.uint8]:
        """Return `count` codes of OK, the array in which filters then write their reasons."""
        return np.full(count, cls.OK.code, np.uint8)


_BY_CODE = {reason.code: reason for reason in Reason}
