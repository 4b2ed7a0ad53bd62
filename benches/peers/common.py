"""What the comparisons share: points, direct sums, runs of farfield, tables."""

import json
import statistics
import subprocess
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]


def farfield_binary(given):
    """The binary asked for, or the one that `cargo build --release` made."""
    return Path(given) if given else ROOT / "target" / "release" / "farfield"


class Points:
    """Points in a file of their own, with direct sums at some of them."""

    def __init__(self, binary, shape, n, signs, checked=1000):
        self.binary = binary
        self.folder = tempfile.TemporaryDirectory()
        self.file = Path(self.folder.name) / "points.npy"
        command = [binary, "generate", shape, "-n", str(n), "-s", "1", "-o", self.file]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        rows = np.load(self.file)
        random = np.random.default_rng(2)
        if signs == "mixed":
            rows[:, 3] = random.uniform(-0.5, 0.5, n)
            np.save(self.file, rows)
        self.positions = np.ascontiguousarray(rows[:, :3])
        self.charges = np.ascontiguousarray(rows[:, 3])
        self.receivers = np.sort(random.choice(n, min(checked, n), replace=False))
        self.potential, self.gradient = self.direct()

    def direct(self):
        """Potential and gradient at the receivers, by summing all pairs."""
        potential, gradient = [], []
        for i in self.receivers:
            offset = self.positions - self.positions[i]
            distance = np.sqrt((offset**2).sum(axis=1))
            distance[distance == 0] = np.inf
            potential.append((self.charges / distance).sum())
            gradient.append(((self.charges / distance**3)[:, None] * offset).sum(axis=0))
        return np.array(potential), np.array(gradient)

    def errors(self, potential, gradient):
        """Relative L2 errors of fields at all points; a missing field has no error."""
        def relative(field, reference):
            if field is None:
                return None
            difference = np.asarray(field)[self.receivers] - reference
            return np.linalg.norm(difference) / np.linalg.norm(reference)

        return relative(potential, self.potential), relative(gradient, self.gradient)

    def farfield(self, arguments, threads):
        """Seconds of one run, without reading and writing files, and its errors."""
        output = Path(self.folder.name) / "field.npz"
        command = [self.binary, "evaluate", self.file, "--threads", str(threads)]
        command += ["--json", "--output", output, *arguments.split()]
        run = subprocess.run(command, check=True, capture_output=True, text=True)
        field = np.load(output)
        seconds = json.loads(run.stdout)["seconds"]["total"]
        return seconds, self.errors(field["potential"], field["gradient"])


def session(settings, repeats):
    """Runs every setting in turn, again and again (A B A B), so that a noisy machine is as unfair to
    one as to another; medians of the seconds, and the errors."""
    measured = {name: [] for name in settings}
    for _ in range(repeats):
        for name, run in settings.items():
            measured[name].append(run())
    for name, runs in measured.items():
        yield name, statistics.median(seconds for seconds, _ in runs), runs[-1][1]


def row(cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def number(error):
    return "–" if error is None else f"{error:.1e}"
