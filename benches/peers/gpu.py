"""Gradients on a GPU: farfield and jaxFMM, one after the other in one session.

Both evaluate a plan that stands, from charges in device memory to results there. jaxFMM takes points of `farfield generate`,
farfield those of `farfield bench`, which are of the same shape with another seed. Each has its error against a direct sum.
"""

import argparse
import contextlib
import statistics
import subprocess
import sys
import time

import jax
import numpy as np

from common import Points, farfield_binary, number, row

jax.config.update("jax_enable_x64", True)
import jaxfmm  # noqa: E402  after the switch to 64 bits

# Stages of a plan and of copies to the host and back.
NOT_EVALUATION = {"sort", "lists", "transfer"}


def jaxfmm_run(points, tolerance, precision, engine, repeats):
    """Seconds of the first call, which tunes and compiles, of one later call, and the error of the gradient."""
    kind = np.float32 if precision == "f32" else np.float64
    positions = jax.device_put(points.positions.astype(kind))
    charges = jax.device_put(points.charges.astype(kind))
    clock = time.perf_counter()
    evaluate = jaxfmm.plan(positions, err_tol=tolerance, field=True, engine=engine, verbose=False)
    field = evaluate(charges)
    first = time.perf_counter() - clock
    seconds = []
    for _ in range(repeats):
        clock = time.perf_counter()
        field = evaluate(charges)
        jax.block_until_ready(field)
        seconds.append(time.perf_counter() - clock)
    # jaxFMM has 1/4π in its kernel, and the field is the negative gradient.
    gradient = -4 * np.pi * np.asarray(field, dtype=np.float64)
    return first, statistics.median(seconds), points.errors(None, gradient)[1]


def farfield_run(binary, shape, n, tolerance, precision, repeats):
    """Seconds of a plan and of an evaluation by the device's clock, and the error of the gradient."""
    command = [binary, "bench", "--device", "cuda", "--set", shape, "--points", str(n)]
    command += ["--tolerance", str(tolerance), "--precision", precision, "--repeats", str(repeats)]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    head, line = out.strip().splitlines()[-2:]
    cells = line.split()
    error = float(cells[head.replace("mean rel", "mean").split().index("L2")])
    stages = cells[cells.index("sort"):]
    stages = dict(zip(stages[::2], map(float, stages[1::2])))
    evaluation = sum(ms for stage, ms in stages.items() if stage not in NOT_EVALUATION)
    return 1e-3 * (stages["sort"] + stages["lists"]), 1e-3 * evaluation, error


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--farfield", help="the binary [default: target/release/farfield]")
    parser.add_argument("--points", type=int, default=1 << 20)
    parser.add_argument("--repeats", type=int, default=11)
    parser.add_argument("--shapes", nargs="+", default=["cube", "plummer"])
    parser.add_argument("--settings", nargs="+", default=["f32:2e-3", "f64:1e-4", "f64:1e-6"])
    parser.add_argument("--engines", nargs="+", default=["flex", "kifmm"])
    arguments = parser.parse_args()
    binary = farfield_binary(arguments.farfield)
    row(["points", "code and setting", "plan, s", "evaluation, ms", "gradient error"])
    row(["---", "---", "--:", "--:", "--:"])
    for shape in arguments.shapes:
        points = Points(binary, shape, arguments.points, "masses")
        for setting in arguments.settings:
            precision, tolerance = setting.split(":")
            tolerance = float(tolerance)

            def measured(name, run):
                try:
                    plan, seconds, error = run()
                    cells = [f"{plan:.2g}", f"{1e3 * seconds:.2f}", number(error)]
                except (RuntimeError, ValueError) as failure:
                    cells = ["–", "–", str(failure).splitlines()[0][:120]]
                row([f"{shape} {arguments.points}", f"{name}, {precision}, {tolerance:g}", *cells])

            for engine in arguments.engines:
                theirs = (points, tolerance, precision, engine, arguments.repeats)

                def run():
                    # It reports its plans among the rows.
                    with contextlib.redirect_stdout(sys.stderr):
                        return jaxfmm_run(*theirs)

                measured(f"jaxFMM {engine}", run)
            ours = (binary, shape, arguments.points, tolerance, precision, arguments.repeats)
            measured("farfield", lambda: farfield_run(*ours))


if __name__ == "__main__":
    main()
