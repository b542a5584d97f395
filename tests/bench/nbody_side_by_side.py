#!/usr/bin/env python3
"""Times the forces between the bodies of a Plummer sphere by Isolume and by Python packages, taking turns.

    python3 -m venv peers && peers/bin/pip install numpy pytreegrav fmm3dpy rebound
    peers/bin/python nbody_side_by_side.py BUILD/bin/isolume-batch [--bodies 200000,1000000] [--rounds 3]
        [--threads 2] [--longest 60] [--output tests/bench/results/nbody_side_by_side.md]

All get the same bodies (`isolume-batch nbody convert --scene plummer`), without softening, as the kernels that
soften differ. Every acceleration is asked for, and those of the same random bodies are compared with sums over every
pair in double precision: |a - exact| / |exact|. Times are by the clock, from positions in memory to accelerations
in memory, trees included, reading and writing files and compiling (numba) not. Each start of Isolume's program
sums once; packages are warm, which favours them. Packages that are not installed are left out, and it says so.
A row's ratio: its least time, which other programs on the machine disturb less than the median, over that of Isolume's
fastest row that is at least as exact where 99 % are below. What takes more than a quarter of --longest seconds is not
repeated, and what took so long with fewer bodies that it would take more than these with more is left out there.
"""
import argparse
import importlib.metadata
import json
import os
import pathlib
import platform
import statistics
import subprocess
import tempfile
import time

import numpy

SOLVERS = {
    "barnes-hut": ["--opening-angle 0.6", "--error 1e-2", "--error 1e-3", "--error 1e-4"],
    "fmm": ["--error 1e-2", "--error 1e-3", "--error 1e-4"],
}


class Isolume:
    name = "Isolume"

    def __init__(self, program, file, threads):
        self.command = [program, "nbody", "forces", file, "--json", "--threads", str(threads)]
        offered = subprocess.run([program, "nbody", "forces", "--help"], check=True, capture_output=True, text=True).stdout
        solvers = offered.split("--solver [", 1)[1].split("]", 1)[0].split(", ")
        self.settings = [f"--solver {name} {how}" for name in SOLVERS if name in solvers for how in SOLVERS[name]]

    def forces(self, setting, samples):
        with tempfile.TemporaryDirectory() as folder:
            table = os.path.join(folder, "forces.csv")
            out = subprocess.run([*self.command, *setting.split(), "-o", table], check=True, capture_output=True, text=True)
            found = numpy.loadtxt(table, delimiter=",", skiprows=1, usecols=(0, 1, 2))
        seconds = json.loads(out.stdout)["seconds"]
        return seconds["order"] + seconds["tree"] + seconds["sums"], found[samples]


class Pytreegrav:
    name = "pytreegrav"
    settings = ["theta 0.7", "theta 0.7, quadrupoles", "theta 0.5, quadrupoles"]

    def __init__(self, mass, places, threads):
        import numba
        import pytreegrav

        numba.set_num_threads(threads)
        self.accelerations, self.mass, self.places = pytreegrav.Accel, mass, places
        for setting in self.settings:  # compiles
            self.sums(setting, mass[:2000], places[:2000])

    def sums(self, setting, mass, places):
        angle, quadrupoles = float(setting.split()[1].rstrip(",")), "quadrupoles" in setting
        return self.accelerations(places, mass, theta=angle, quadrupole=quadrupoles, method="tree", parallel=True)

    def forces(self, setting, samples):
        start = time.perf_counter()
        found = self.sums(setting, self.mass, self.places)
        return time.perf_counter() - start, found[samples]


class Fmm3d:
    name = "fmm3dpy"
    settings = ["eps 1e-2", "eps 1e-3", "eps 1e-4"]

    def __init__(self, mass, places, threads):
        import fmm3dpy

        self.sums, self.mass, self.places = fmm3dpy.lfmm3d, mass, numpy.asfortranarray(places.T)
        # Some versions divide by 4 pi: what a charge of 1 exerts at a distance of 1 tells.
        pair = self.sums(eps=1e-9, sources=numpy.array([[0.0, 1], [0, 0], [0, 0]]), charges=numpy.ones(2), pg=2)
        self.unit = pair.grad[0, 0]

    def forces(self, setting, samples):
        start = time.perf_counter()
        found = self.sums(eps=float(setting.split()[1]), sources=self.places, charges=self.mass, pg=2).grad
        return time.perf_counter() - start, found.T[samples] / self.unit


class Rebound:
    """One step of no length: what it takes beyond the forces is too little to see."""

    name = "rebound"
    settings = ["theta 0.5, 1 thread"]

    def __init__(self, mass, places, threads):
        import rebound

        self.simulation = simulation = rebound.Simulation()
        simulation.gravity, simulation.integrator, simulation.dt = "tree", "leapfrog", 1e-12
        simulation.root_size = 4 * numpy.abs(places).max()
        for heavy, (x, y, z) in zip(mass, places):
            simulation.add(m=heavy, x=x, y=y, z=z)

    def forces(self, setting, samples):
        self.simulation.opening_angle2 = float(setting.split()[1].rstrip(",")) ** 2
        start = time.perf_counter()
        self.simulation.steps(1)
        seconds = time.perf_counter() - start
        particles = self.simulation.particles
        return seconds, numpy.array([(p.ax, p.ay, p.az) for p in (particles[int(i)] for i in samples)])


def packages(mass, places, threads):
    for package in (Pytreegrav, Fmm3d, Rebound):
        try:
            yield package(mass, places, threads)
        except ImportError as error:
            print(f"{package.name} is left out: {error}")


def exact_accelerations(mass, places, samples):
    found = []
    for i in samples:
        to = places - places[i]
        squared = numpy.einsum("ij,ij->i", to, to)
        squared[i] = numpy.inf
        found.append((mass * squared**-1.5) @ to)
    return numpy.array(found)


def compare(arguments, bodies, too_slow):
    program, threads = arguments.program, arguments.threads
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "bodies.csv")
        scene = f"nbody convert --scene plummer --bodies {bodies} --seed 1 -o".split()
        subprocess.run([program, *scene, file], check=True, capture_output=True)
        table = numpy.loadtxt(file, delimiter=",", skiprows=1)
        mass, places = table[:, 0].copy(), table[:, 1:4].copy()
        samples = numpy.random.default_rng(1).choice(bodies, min(arguments.samples, bodies), replace=False)
        exact = exact_accelerations(mass, places, samples)
        programs = [Isolume(program, file, threads), *packages(mass, places, threads)]
        rows = {(each, setting): [] for each in programs for setting in each.settings if not too_slow(each, setting)}
        errors = {}
        for round_number in range(arguments.rounds):
            for each, setting in rows:
                if min(rows[each, setting], default=0) > arguments.longest / 4:
                    continue
                seconds, found = each.forces(setting, samples)
                rows[each, setting].append(seconds)
                errors[each, setting] = numpy.linalg.norm(found - exact, axis=1) / numpy.linalg.norm(exact, axis=1)
                print(f"round {round_number + 1}: {each.name} {setting}: {seconds:.3f} s", flush=True)
    return rows, errors


def table_of(rows, errors):
    median = {key: statistics.median(times) for key, times in rows.items()}
    least = {key: min(times) for key, times in rows.items()}
    p99 = {key: numpy.quantile(errors[key], 0.99) for key in rows}
    lines = ["| | median s | least s | median error | 99 % below | ratio |", "|---|---|---|---|---|---|"]
    for key, times in rows.items():
        each, setting = key
        ratio = ""
        if each.name != Isolume.name:
            as_exact = [least[own] for own in rows if own[0].name == Isolume.name and p99[own] <= p99[key]]
            ratio = f"{least[key] / min(as_exact):.1f}" if as_exact else "no row of Isolume is as exact"
        lines.append(
            f"| {each.name} {setting} | {median[key]:.2f} | {min(times):.2f} | {numpy.median(errors[key]):.1e} | "
            f"{p99[key]:.1e} | {ratio} |"
        )
    return "\n".join(lines)


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def versions():
    found = []
    for name in ("numpy", "numba", "pytreegrav", "fmm3dpy", "rebound"):
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            found.append(f"{name} is not installed")
    return ", ".join(found)


def report(arguments):
    text = "# Forces between the bodies of a Plummer sphere, side by side\n\n"
    text += f"{processor()}, {arguments.threads} of {os.cpu_count()} threads (rebound: one, its package has no more). "
    text += f"{versions()}. Up to {arguments.rounds} rounds, taking turns; {arguments.samples} bodies sampled.\n\n"
    text += "As `tests/bench/nbody_side_by_side.py` says. Ratio: the row's least time over that of Isolume's fastest\n"
    text += "row that is at least as exact (99 % below).\n"
    seconds_a_body = {}

    def too_slow(each, setting):
        expected = bodies * seconds_a_body.get((each.name, setting), 0)
        if expected > arguments.longest:
            print(f"{each.name} {setting} is left out: it would take {expected:.0f} s")
        return expected > arguments.longest

    for bodies in (int(number) for number in arguments.bodies.split(",")):
        before = os.getloadavg()[0]
        found = compare(arguments, bodies, too_slow)
        seconds_a_body.update({(each.name, how): min(times) / bodies for (each, how), times in found[0].items()})
        table = table_of(*found)
        text += f"\n## {bodies} bodies\n\nLoad of the machine before: {before:.1f}; after: {os.getloadavg()[0]:.1f}.\n\n{table}\n"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="isolume-batch")
    parser.add_argument("--bodies", default="200000,1000000")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--longest", type=float, default=60, help="seconds that a sum may take")
    parser.add_argument("--samples", type=int, default=1000, help="bodies that forces are compared of")
    parser.add_argument("--output", type=pathlib.Path, help="Markdown to write")
    arguments = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = str(arguments.threads)  # before a package starts its threads
    text = report(arguments)
    print("\n" + text)
    if arguments.output:
        arguments.output.write_text(text)


if __name__ == "__main__":
    main()
