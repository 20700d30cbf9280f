"""Entry points: the only place with Hydra, output folders, the wall clock and printing."""
