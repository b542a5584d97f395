#!/usr/bin/env python3
"""Times the potential of benzene's wavefunction by Isolume and by PySCF's integrals (int1e_grids), taking turns.

    quantum_potential_side_by_side.py BUILD/bin/isolume-batch [--basis def2-tzvp] [--side 80] [--sample 2000] [--rounds 3]
        [--output tests/bench/results/quantum_potential_side_by_side.md]

Isolume computes a grid of side^3 points over 12 angstrom, PySCF `sample` of these points, drawn by chance, as all of them would take
minutes; both with all threads of the machine. Seconds are by the clock and, as the machine may be busy, of the processor (user and system).
What Isolume does before its first point counts; by the clock reading and writing do not, of the processor they do. pip install pyscf
"""
import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import tempfile
import time

import numpy as np
from pyscf import gto, lib, scf
from pyscf.tools import molden

angstrom_per_bohr = 0.529177210903


def benzene(basis):
    ring = [f"{symbol} {radius * np.cos(angle):.8f} {radius * np.sin(angle):.8f} 0"
            for angle in np.arange(6) * np.pi / 3 for symbol, radius in (("C", 1.39), ("H", 2.48))]
    return gto.M(atom="\n".join(ring), basis=basis, verbose=0)


def processor_seconds(who):
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def potential(mol, density, places):
    values = np.concatenate([-np.einsum("pij,ij->p", mol.intor("int1e_grids", grids=part), density)
                             for part in np.array_split(places, max(1, len(places) // 400))])
    for charge, nucleus in zip(mol.atom_charges(), mol.atom_coords()):
        values += charge / np.linalg.norm(places - nucleus, axis=1)
    return values


def write_empty_map(path, side):
    step = 12 / (side - 1)
    path.write_text(f"object 1 class gridpositions counts {side} {side} {side}\norigin -6 -6 -6\n"
                    f"delta {step!r} 0 0\ndelta 0 {step!r} 0\ndelta 0 0 {step!r}\n"
                    f"object 2 class gridconnections counts {side} {side} {side}\n"
                    f"object 3 class array type double rank 0 items {side ** 3} data follows\n")


def read_map(path):
    lines = path.read_text().splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("object 3")) + 1
    return np.array(" ".join(line for line in lines[first:] if line[:1] in "-0123456789 ").split(), float)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path, help="isolume-batch")
    parser.add_argument("--basis", default="def2-tzvp")
    parser.add_argument("--side", type=int, default=80)
    parser.add_argument("--sample", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--output", type=pathlib.Path, help="Markdown to write")
    arguments = parser.parse_args()
    threads = len(os.sched_getaffinity(0))
    lib.num_threads(threads)
    mol = benzene(arguments.basis)
    mf = scf.RHF(mol).density_fit().run(conv_tol=1e-9)
    density, side = mf.make_rdm1(), arguments.side
    load, rows, worst = os.getloadavg()[0], {"PySCF": [], "Isolume": []}, 0
    axis = np.linspace(-6, 6, side) / angstrom_per_bohr
    grid = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), -1).reshape(-1, 3)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        molden.from_scf(mf, str(folder / "benzene.molden"))
        write_empty_map(folder / "like.dx", side)
        for turn in range(arguments.rounds):
            chosen = np.random.default_rng(turn).choice(len(grid), arguments.sample, replace=False)
            clock, processor = time.perf_counter(), processor_seconds(resource.RUSAGE_SELF)
            expected = potential(mol, density, grid[chosen])
            clock, processor = time.perf_counter() - clock, processor_seconds(resource.RUSAGE_SELF) - processor
            rows["PySCF"].append((arguments.sample / clock, arguments.sample / processor))
            processor = processor_seconds(resource.RUSAGE_CHILDREN)
            out = subprocess.run([arguments.program.resolve(), "electrostatics", "potential", "benzene.molden", "--like", "like.dx",
                                  "--engine", "cpu", "--unit", "Eh/e", "-o", "map.dx", "--json"], cwd=folder, check=True, capture_output=True, text=True).stdout
            processor = processor_seconds(resource.RUSAGE_CHILDREN) - processor
            told = json.loads(out)
            rows["Isolume"].append((side ** 3 / (told["seconds"]["density"] + told["seconds"]["sums"]), side ** 3 / processor))
            worst = max(worst, (np.abs(read_map(folder / "map.dx")[chosen] - expected) / (1 + np.abs(expected))).max())
    model = next(line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name"))
    medians = {who: [statistics.median(column) for column in zip(*each)] for who, each in rows.items()}
    text = (f"# The potential of a wavefunction by Isolume and by PySCF\n\n{model}, {threads} threads; load before: {load:.1f}, "
            f"after: {os.getloadavg()[0]:.1f}. {arguments.rounds} rounds, taking turns. As `tests/bench/quantum_potential_side_by_side.py` "
            f"says.\n\nBenzene, RHF/{arguments.basis}, {mol.nao} functions, {side}^3 points:\n\n"
            "| | points a second | points a second of a processor |\n|---|---|---|\n")
    text += "".join(f"| {who} | {clock:.3g} | {processor:.3g} |\n" for who, (clock, processor) in medians.items())
    ratios = [ours / theirs for ours, theirs in zip(medians["Isolume"], medians["PySCF"])]
    text += (f"| Isolume / PySCF | {ratios[0]:.0f} | {ratios[1]:.0f} |\n\nLargest relative difference at PySCF's points: {worst:.1e} "
             "(the map has seven digits).\n")
    print(text)
    if arguments.output:
        arguments.output.write_text(text)


if __name__ == "__main__":
    main()
