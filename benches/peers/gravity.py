"""Accelerations of masses: farfield, pytreegrav and REBOUND on the same points, in turn.

The others sum accelerations alone, farfield potential and gradient. REBOUND has one thread.
"""

import argparse
import time

import numba
import numpy as np
import pytreegrav
import rebound

from common import Points, farfield_binary, number, row, session

OURS = [
    "--method treecode --tolerance 4e-3",
    "--method treecode --tolerance 1.5e-4",
    "--method treecode --theta 1 --order 1 --precision f32",
    "--method treecode --theta 0.85 --order 1 --precision f32",
    "--method treecode --theta 0.9 --order 3 --precision f32",
    "--method treecode --theta 0.7 --order 3 --precision f32",
    "--method fmm --tolerance 1e-3",
]
PYTREEGRAV = [0.7, 0.4]
REBOUND = [0.6]


def pytreegrav_run(points, theta):
    clock = time.perf_counter()
    acceleration = pytreegrav.Accel(
        points.positions,
        points.charges,
        theta=theta,
        method="tree",
        quadrupole=True,
        parallel=True,  # the faster code, on one thread too
    )
    seconds = time.perf_counter() - clock
    return seconds, points.errors(None, acceleration)


def rebound_run(points, theta):
    """A step of no length: tree and accelerations. Particles are added beforehand."""
    simulation = rebound.Simulation()
    simulation.G = 1.0
    simulation.gravity = "tree"
    simulation.integrator = "leapfrog"
    simulation.opening_angle2 = theta**2
    simulation.dt = 0.0
    middle = 0.5 * (points.positions.min(axis=0) + points.positions.max(axis=0))
    centred = points.positions - middle
    simulation.configure_box(2.01 * np.abs(centred).max())
    for mass, (x, y, z) in zip(points.charges, centred):
        simulation.add(m=mass, x=x, y=y, z=z)
    clock = time.perf_counter()
    simulation.step()
    seconds = time.perf_counter() - clock
    acceleration = np.array([(p.ax, p.ay, p.az) for p in simulation.particles])
    return seconds, points.errors(None, acceleration)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--farfield", help="the binary [default: target/release/farfield]")
    parser.add_argument("--points", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--shapes", nargs="+", default=["cube", "plummer"])
    parser.add_argument("--others", type=int, help="settings of each other code [default: all]")
    arguments = parser.parse_args()
    binary = farfield_binary(arguments.farfield)

    warm = np.random.default_rng(1).random((100, 3))
    pytreegrav.Accel(warm, np.ones(100), method="tree", quadrupole=True, parallel=True)  # compiles

    row(["points", "code and setting", "threads", "seconds", "gradient error"])
    row(["---", "---", "--:", "--:", "--:"])
    for shape in arguments.shapes:
        points = Points(binary, shape, arguments.points, "masses")
        for threads in arguments.threads:
            numba.set_num_threads(threads)

            settings = {f"farfield {s}": lambda s=s: points.farfield(s, threads) for s in OURS}
            for theta in PYTREEGRAV[: arguments.others]:
                name = f"pytreegrav quadrupole, θ = {theta:g}"
                settings[name] = lambda theta=theta: pytreegrav_run(points, theta)
            for theta in REBOUND[: arguments.others if threads == 1 else 0]:
                name = f"REBOUND monopole, θ = {theta:g}"
                settings[name] = lambda theta=theta: rebound_run(points, theta)
            for name, seconds, (_, error) in session(settings, arguments.repeats):
                row([f"{shape} {arguments.points}", name, threads, f"{seconds:.3f}", number(error)])


if __name__ == "__main__":
    main()
