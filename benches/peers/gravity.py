"""Accelerations of masses: farfield and pytreegrav on the same points, in turn.

pytreegrav sums accelerations alone, farfield potential and gradient.
"""

import argparse
import time

import numba
import pytreegrav

from common import Points, farfield_binary, number, row, session

OURS = [
    "--method treecode --theta 0.6 --order 1 --precision f32",
    "--method treecode --theta 0.7 --order 3",
    "--method treecode --tolerance 1e-4",
    "--method fmm --tolerance 1e-3",
    "--method fmm --tolerance 1e-5",
]
THEIRS = [(0.7, True), (0.4, True)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--farfield", help="the binary [default: target/release/farfield]")
    parser.add_argument("--points", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    arguments = parser.parse_args()
    binary = farfield_binary(arguments.farfield)

    row(["points", "code and setting", "threads", "seconds", "gradient error"])
    row(["---", "---", "--:", "--:", "--:"])
    for shape in ["cube", "plummer"]:
        points = Points(binary, shape, arguments.points, "masses")
        for threads in arguments.threads:
            numba.set_num_threads(threads)

            def theirs(theta, quadrupole):
                clock = time.perf_counter()
                acceleration = pytreegrav.Accel(
                    points.positions,
                    points.charges,
                    theta=theta,
                    method="tree",
                    quadrupole=quadrupole,
                    parallel=True,  # the faster code, on one thread too
                )
                seconds = time.perf_counter() - clock
                return seconds, points.errors(None, acceleration)

            settings = {f"farfield {s}": lambda s=s: points.farfield(s, threads) for s in OURS}
            for setting in THEIRS:
                theirs(*setting)  # compiles
                name = "pytreegrav quadrupole, θ = %g" % setting[0]
                settings[name] = lambda setting=setting: theirs(*setting)
            for name, seconds, (_, error) in session(settings, arguments.repeats):
                row([f"{shape} {arguments.points}", name, threads, f"{seconds:.3f}", number(error)])


if __name__ == "__main__":
    main()
