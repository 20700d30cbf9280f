"""Models that tell from what is seen of a grasp how likely it is good: a constant, a rule of thumb, and a network."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from experiments.learn_data import Examples


@dataclass(frozen=True)
class Network:
    """Settings of the network, a perceptron on the depth patch; they stand in ``conf/learn.yaml``.

    Parameters
    ----------
    layers
        Units of each hidden layer.
    penalty
        Of large weights (L2).
    rate
        At which it learns at first.
    epochs
        At the most; it stops earlier when a tenth of the examples, put aside, is no longer told better.
    mirrored
        Whether every example is also learned from with its patch mirrored across the closing axis, which maps the gripper
        onto itself.
    seed
        Of its first weights and of the order of examples.
    """

    layers: tuple[int, ...]
    penalty: float
    rate: float
    epochs: int
    mirrored: bool
    seed: int


def constant(train: Examples, test: Examples) -> NDArray[np.float64]:
    """Return for each test example (n,) the share of good ones in training."""
    return np.full(len(test), train.good.mean())


def geometric(train: Examples, test: Examples) -> NDArray[np.float64]:
    """Return a logistic regression (n,) on distance from the centroid, opening, their squares and products."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import PolynomialFeatures, StandardScaler

    model = make_pipeline(StandardScaler(), PolynomialFeatures(2), StandardScaler(), LogisticRegression(max_iter=1000))
    return model.fit(train.geometry, train.good).predict_proba(test.geometry)[:, 1]


def network(train: Examples, test: Examples, settings: Network) -> NDArray[np.float64]:
    """Return the network's probabilities (n,); of a test patch and its mirror image the mean."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier

    model = MLPClassifier(
        tuple(settings.layers),
        alpha=settings.penalty,
        learning_rate_init=settings.rate,
        max_iter=settings.epochs,
        early_stopping=True,
        n_iter_no_change=5,
        random_state=settings.seed,
    )
    patches, good = train.heights, train.good
    if settings.mirrored:
        patches, good = np.concatenate([patches, patches[:, ::-1]]), np.tile(good, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the number of epochs is a setting
        model.fit(_flat(patches), good)
    sides = (test.heights, test.heights[:, ::-1]) if settings.mirrored else (test.heights,)
    told = np.array([np.asarray(model.predict_proba(_flat(side)))[:, 1] for side in sides], float)
    return told.mean(0)


def _flat(patches: NDArray[np.float32]) -> NDArray[np.float32]:
    return patches.reshape(len(patches), -1)
