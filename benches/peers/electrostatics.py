"""Potentials and gradients of charges of both signs: farfield and FMM3D on the same points, in turn.

FMM3D's wheel reads OMP_NUM_THREADS when it is loaded, so each number of threads is a run of its own.
"""

import argparse
import os
import subprocess
import sys
import time

import numpy as np

from common import Points, farfield_binary, number, row, session

TOLERANCES = ["1e-3", "1e-6", "1e-9"]


def measure(arguments, threads):
    import fmm3dpy

    binary = farfield_binary(arguments.farfield)
    points = Points(binary, "cube", arguments.points, "mixed")
    sources = np.asfortranarray(points.positions.T)

    def theirs(tolerance):
        clock = time.perf_counter()
        out = fmm3dpy.lfmm3d(eps=float(tolerance), sources=sources, charges=points.charges, pg=2)
        seconds = time.perf_counter() - clock
        # Version 2 has 1/4π in its kernel.
        scale = 4 * np.pi
        return seconds, points.errors(scale * out.pot, scale * out.grad.T)

    settings = {}
    for tolerance in TOLERANCES:
        ours = f"--method fmm --tolerance {tolerance}"
        settings[f"farfield {ours}"] = lambda ours=ours: points.farfield(ours, threads)
        settings[f"FMM3D eps = {tolerance}"] = lambda tolerance=tolerance: theirs(tolerance)
    for name, seconds, errors in session(settings, arguments.repeats):
        row([f"cube {arguments.points}, ±", name, threads, f"{seconds:.3f}", *map(number, errors)])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--farfield", help="the binary [default: target/release/farfield]")
    parser.add_argument("--points", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--measure", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        return measure(arguments, arguments.measure)
    row(["points", "code and setting", "threads", "seconds", "potential error", "gradient error"])
    row(["---", "---", "--:", "--:", "--:", "--:"])
    for threads in arguments.threads:
        environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
        command = [sys.executable, *sys.argv, "--measure", str(threads)]
        subprocess.run(command, check=True, env=environment)


if __name__ == "__main__":
    main()
