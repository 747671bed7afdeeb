#!/usr/bin/env python3
"""Whether the bound that a fit states is the one that the independent verifier finds.

    bench/verified.py [--program build/gersh] DATA_DIR

Every objective with every solver that certifies, on the folds of DATA_DIR (the paper's setting: --scale none --trace K
--rho 1e-5) and on four whole data sets with z-scores (default settings). Each model is written to a file and checked by
`gersh inspect --verify`. A line for each objective and solver: the number of fits, how many are verified, and the largest
differences of stated and recomputed values and bounds, relative to what the tolerance is relative to. A stated bound is
the computed one less an allowance for rounding (docs/theory.md), so that it is below the recomputed one by as much:
*below*; *above* is by how much one is above it. *within* counts the bounds that differ by at most 1e-9. The exit status is 1
where a model is not verified.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SOLVERS = ("diagonal", "balanced", "hull", "psd")
SETS = ("heart", "sonar", "wdbc", "wine")
PAPER = ("--scale", "none", "--trace", "K", "--rho", "1e-5")
WITHIN = 1e-9


def run(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True)


def verify(program, model, data, objective, solver):
    """The verdict, |stated − recomputed| of the value, and stated − recomputed of the bound; None where there is no fit."""
    settings = PAPER if data.parent.name == "folds" else ()
    fit = run(program, "fit", str(data), "--label", "last", "--objective", objective, "--solver", solver, *settings,
              "-o", model, "--quiet")
    if fit.returncode != 0:
        print(f"  {data.stem}: {fit.stderr.strip()}")
        return None
    shown = json.loads(run(program, "inspect", model, "--verify", "--json").stdout)
    checks = {check["name"]: check for check in shown["verification"]["checks"]}
    verdict = shown["verification"]["verdict"]
    if verdict != "verified":
        print(f"  {data.stem}: {verdict}: "
              + "; ".join(c["sentence"] for c in checks.values() if c["result"] != "passed"))
    size = shown["gap"] / shown["relative_gap"] if shown["relative_gap"] else abs(shown["objective_value"]) or 1
    value, bound = checks["objective value"], checks["bound"]
    above = 0 if bound["recomputed"] is None else bound["stated"] - bound["recomputed"]
    return verdict, abs(value["stated"] - value["recomputed"]) / size, above * (-1 if objective == "deml" else 1) / size


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/gersh", help="default: build/gersh")
    parser.add_argument("folder", metavar="DATA_DIR", type=Path)
    arguments = parser.parse_args()
    folds = sorted((arguments.folder / "folds").glob("[0-9]*.csv"))
    files = folds + [arguments.folder / f"{name}.csv" for name in SETS]
    if not folds or not os.access(arguments.program, os.X_OK):
        sys.exit(f"verified.py: needs the folds in {arguments.folder}/folds, and the program {arguments.program}")
    objectives = re.search(r"--objective auto\|(\S+)", run(arguments.program, "help", "fit").stdout)[1].split("|")
    wrong = 0
    print(f"{'':17}  fits  verified  value off by  within  bound below     above")
    with tempfile.TemporaryDirectory() as folder:
        for objective in objectives:
            for solver in SOLVERS:
                found = [verify(arguments.program, f"{folder}/model", data, objective, solver) for data in files]
                found = [result for result in found if result is not None]
                verified = sum(verdict == "verified" for verdict, _, _ in found)
                above = [bound for _, _, bound in found]
                wrong += verified < len(found)
                print(f"{objective:7} {solver:9}  {len(found):4}  {verified:8}  {max(v for _, v, _ in found):12.1e}  "
                      f"{sum(abs(bound) <= WITHIN for bound in above):6}  {max(0, -min(above)):11.1e}  "
                      f"{max(0, max(above)):8.1e}", flush=True)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
