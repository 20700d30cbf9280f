"""Time mechanics and planners beside plain versions: ``python -m experiments.timing``; usage in ``conf/timing.yaml``.

One core, one thread, everything warm. Times depend on the machine and on its mood; ratios within one run hardly do, so
ratios are what is judged and compared.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import hydra
from omegaconf import DictConfig, OmegaConf

from experiments.one_core import one_core

ELSEWHERE = ("save", "compare", "only")  # where results go or come from, and what is left of the rest


@hydra.main(version_base="1.3", config_path="../conf", config_name="timing")
def main(cfg: DictConfig) -> None:
    """Compare two saves where asked to; else time, save and print, and exit with 1 where a peer disagrees."""
    core = one_core()
    from experiments import timing_report, timing_run  # they load NumPy, which reads its thread count once
    from wrench.errors import InvalidValue

    if cfg.compare is not None:
        if len(cfg.compare) != 2:
            raise InvalidValue("compare", cfg.compare, "two saves, [old.json,new.json]")
        print(timing_report.comparison(*(timing_report.read(Path(path)) for path in cfg.compare)))
        return
    measured = OmegaConf.masked_copy(cfg, [str(key) for key in cfg if key not in ELSEWHERE])
    config: Any = OmegaConf.to_container(measured, resolve=True)
    saved = {"core": core, **timing_run.run(config if cfg.only is None else timing_run.selected(config, cfg.only))}
    timing_report.write(Path(cfg.save), saved)
    print(timing_report.table(saved))
    print(f"saved to {cfg.save}")
    if any(row["wrong"] for row in saved["rows"].values()):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
