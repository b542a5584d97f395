#!/usr/bin/env python3
"""Compares orbits and potentials of Isolume with REBOUND's IAS15 and with sums over every pair in double precision.

    python3 -m venv peers && peers/bin/pip install numpy h5py rebound
    peers/bin/python nbody_rebound.py BUILD/bin/isolume-batch [--output tests/bench/results/nbody_rebound.md]

Orbits: a Kepler ellipse of e = 0.9 over 100 periods, the figure of eight over 10, and the Sun with the four outer planets
over 1000 years. Both programs get the same bodies, with G = 1, to all digits. IAS15 (Rein and Spiegel, MNRAS 446, 1424
(2015)) keeps its errors near rounding. Energies are computed here from the recorded places and velocities, in double
precision.

Potentials: a heavy body among a thousand light ones, by each solver with --error 1e-4 where there is one, against sums in
double precision here (numpy), for softening lengths of 0, 1e-6, 1e-3 and 0.1: the largest relative error of a potential,
and that of the energy of all pairs.
"""
import argparse
import math
import pathlib
import subprocess
import tempfile

import h5py
import numpy
import rebound

PLANETS = [  # heliocentric, au and au/day at JD 2440400.5, from Hairer, Lubich and Wanner, Geometric Numerical Integration
    (1.00000597682, (0, 0, 0), (0, 0, 0)),
    (0.000954786104043, (-3.5023653, -3.8169847, -1.5507963), (0.00565429, -0.00412490, -0.00190589)),
    (0.000285583733151, (9.0755314, -3.0458353, -1.6483708), (0.00168318, 0.00483525, 0.00192462)),
    (0.0000437273164546, (8.3101420, -16.2901086, -7.2521278), (0.00354178, 0.00137102, 0.00055029)),
    (0.0000517759138449, (11.4707666, -25.7294829, -10.8169456), (0.00288930, 0.00114527, 0.00039677)),
]
GAUSS = 0.01720209895  # day^-1: a time of 1 with G = 1 is 1 / GAUSS days


def cases():
    e = 0.9
    ellipse = numpy.array([[1, 0, 0, 0, 0, 0, 0], [1e-3, 1 - e, 0, 0, 0, math.sqrt(1.001 * (1 + e) / (1 - e)), 0]])
    period = 2 * math.pi / math.sqrt(1.001)
    yield "Kepler, e = 0.9, 100 periods", ellipse, 100 * period, period
    place, velocity = numpy.array([0.97000436, -0.24308753, 0]), numpy.array([-0.93240737, -0.86473146, 0])
    eight = numpy.array([[1, *place, *(-velocity / 2)], [1, *-place, *(-velocity / 2)], [1, 0, 0, 0, *velocity]])
    yield "Figure of eight, 10 periods", eight, 10 * 6.32591398, 6.32591398
    outer = numpy.array([[m, *x, *(numpy.array(v) / GAUSS)] for m, x, v in PLANETS])
    yield "Sun and outer planets, 1000 years", outer, 1000 * 365.25 * GAUSS, 4332.6 * GAUSS


def energy(mass, places, velocities):
    total = 0.5 * (mass * (velocities**2).sum(1)).sum()
    for i in range(len(mass)):
        for j in range(i):
            total -= mass[i] * mass[j] / numpy.linalg.norm(places[i] - places[j])
    return total


def by_rebound(bodies, time):
    simulation = rebound.Simulation()
    for m, x, y, z, vx, vy, vz in bodies:
        simulation.add(m=m, x=x, y=y, z=z, vx=vx, vy=vy, vz=vz)
    simulation.integrator = "ias15"
    simulation.integrate(time)
    return (numpy.array([[p.x, p.y, p.z] for p in simulation.particles]),
            numpy.array([[p.vx, p.vy, p.vz] for p in simulation.particles]))


def by_isolume(program, folder, bodies, time, period, flags, steps_a_period):
    table = folder / "bodies.csv"
    with open(table, "w") as out:
        out.write("mass,x,y,z,vx,vy,vz\n")
        for body in bodies:
            out.write(",".join(repr(float(value)) for value in body) + "\n")
    steps = round(time / period * steps_a_period)
    moments = folder / "moments.h5"
    subprocess.run([program, "nbody", "run", table, "--units", "g1", "--steps", str(steps), "--dt", repr(time / steps), "--every",
                    str(steps), "-o", moments, *flags.split()], check=True, capture_output=True, text=True)
    with h5py.File(moments) as file:
        return file["position"][-1], file["velocity"][-1]


def orbits(program, folder):
    rows = []
    for name, bodies, time, period in cases():
        mass, first = bodies[:, 0], energy(bodies[:, 0], bodies[:, 1:4], bodies[:, 4:7])
        expected, velocities = by_rebound(bodies, time)
        size = numpy.abs(bodies[:, 1:4]).max()
        rows.append((name, "REBOUND, IAS15", abs(energy(mass, expected, velocities) / first - 1), None))
        for label, flags, steps in [
            ("Hermite, block steps, accuracy 1e-4", "--integrator hermite --time-steps block --accuracy 1e-4", 100),
            ("Hermite, 1000 steps a period", "--integrator hermite", 1000),
            ("Leapfrog, direct, 1000 steps a period", "--solver direct", 1000),
        ]:
            places, velocities = by_isolume(program, folder, bodies, time, period, flags, steps)
            rows.append((name, "Isolume, " + label, abs(energy(mass, places, velocities) / first - 1),
                         numpy.linalg.norm(places - expected, axis=1).max() / size))
    return rows


def potentials(program, folder):
    random = numpy.random.default_rng(5)
    places = random.normal(size=(1001, 3))
    places[0] = 0
    mass = numpy.full(1001, 1e-6)
    mass[0] = 1
    table = folder / "heavy.csv"
    numpy.savetxt(table, numpy.column_stack([mass, places]), delimiter=",", header="mass,x,y,z", comments="", fmt="%.17g")
    squares = ((places[:, None, :] - places[None, :, :]) ** 2).sum(2)
    rows = []
    for softening in (0, 1e-6, 1e-3, 0.1):
        with numpy.errstate(divide="ignore"):
            inverse = 1 / numpy.sqrt(squares + softening**2)
        numpy.fill_diagonal(inverse, 0)
        exact = -(inverse * mass).sum(1)
        for solver in ("direct", "barnes-hut --error 1e-4", "fmm --error 1e-4"):
            out = folder / "forces.csv"
            subprocess.run([program, "nbody", "forces", table, "--units", "g1", "--softening", repr(float(softening)), "--solver",
                            *solver.split(), "-o", out], check=True, capture_output=True, text=True)
            found = numpy.loadtxt(out, delimiter=",", skiprows=1, usecols=3)
            rows.append((softening, solver, numpy.abs(found / exact - 1).max(),
                         abs((mass * found).sum() / (mass * exact).sum() - 1)))
    return rows


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program")
    arguments.add_argument("--output", type=pathlib.Path)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        lines = [f"# Orbits and potentials beside REBOUND {rebound.__version__} and double precision", "",
                 "As `tests/bench/nbody_rebound.py` says. Places are compared with IAS15's at the end, relative to the largest",
                 "coordinate at the start.", "", "| orbit | by | energy error | place |", "|---|---|---|---|"]
        for orbit, by, error, place in orbits(options.program, folder):
            lines.append(f"| {orbit} | {by} | {error:.1e} | {'' if place is None else f'{place:.1e}'} |")
        lines += ["", "| softening | solver | largest error of a potential | energy of all pairs |", "|---|---|---|---|"]
        for softening, solver, largest, all_pairs in potentials(options.program, folder):
            lines.append(f"| {softening:g} | {solver} | {largest:.1e} | {all_pairs:.1e} |")
    text = "\n".join(lines) + "\n"
    print(text)
    if options.output:
        options.output.write_text(text)


if __name__ == "__main__":
    main()
