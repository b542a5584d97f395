#!/usr/bin/env python3
"""Times the polar solvation energy of a molecule by Isolume and by APBS, taking turns.

    electrostatics_side_by_side.py BUILD/bin/isolume-batch MOLECULE.pqr INPUT.in MAP.dx[.gz] --focusing 1.7241379 [--rounds 3]
        [--output tests/bench/results/electrostatics_side_by_side.md]

INPUT.in: an APBS input for the molecule with the states solv and ref of 0.15 M salt in dielectrics 78.54 and 2; it is run as it is, in the
folder of the molecule's copy. MAP: whose grid is that of the input's fine one, of which the coarse one is `focusing` times as long.
Seconds are by the clock and, as the machine may be busy, of the processor (user and system), of whole programs that read and compute;
Isolume's include its map and its estimate of the error, APBS's include its map if the input writes one.
"""
import argparse
import json
import os
import pathlib
import re
import resource
import shutil
import statistics
import subprocess
import tempfile
import time


def run(command, folder):
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    out = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return time.perf_counter() - start, processor, out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path, help="isolume-batch")
    parser.add_argument("molecule", type=pathlib.Path)
    parser.add_argument("input", type=pathlib.Path)
    parser.add_argument("map", type=pathlib.Path)
    parser.add_argument("--focusing", default="1.7241379")
    parser.add_argument("--dots", type=float, help="sdens for APBS, in place of the input's: dots to the square angstrom of each atom's sphere, "
                        "which its solute has gaps between where they are few")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--output", type=pathlib.Path, help="Markdown to write")
    arguments = parser.parse_args()
    ours = [arguments.program.resolve(), "electrostatics", "potential", arguments.molecule.name, "--like", arguments.map.resolve()]
    ours += ["--method", "pb-linear", "--solute-dielectric", "2", "--salt", "0.15", "--interface", "sharp"]
    ours += ["--focusing", arguments.focusing, "-o", "map.dx", "--json"]
    load, rows = os.getloadavg()[0], {"APBS": [], "Isolume": []}
    energies, alone = {}, []
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(arguments.molecule, folder)
        text = arguments.input.read_text()
        if arguments.dots:
            text = re.sub(r"sdens\s+\S+", f"sdens {arguments.dots}", text)
        dots = float(re.search(r"sdens\s+(\S+)", text).group(1))
        pathlib.Path(folder, "in.in").write_text(text)
        for _ in range(arguments.rounds):
            *seconds, out = run(["apbs", "in.in"], folder)
            rows["APBS"].append(seconds)
            energies["APBS"] = float(re.search(r"Global net ELEC energy = (\S+)", out).group(1))
            *seconds, out = run(ours, folder)
            rows["Isolume"].append(seconds)
            told = json.loads(out)
            energies["Isolume"] = told["energy"]["polar_solvation_kj_per_mol"]
            alone.append(sum(told["seconds"][phase] for phase in ("surface", "medium", "faces", "solution", "reference")))
    processor = next(line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name"))
    text = f"# Polar solvation energy of {arguments.molecule.stem}, side by side\n\n"
    text += f"{processor}, {os.cpu_count()} threads; load before: {load:.1f}, after: {os.getloadavg()[0]:.1f}. "
    text += f"{arguments.rounds} rounds, taking turns; APBS with {dots:g} dots to the square angstrom. As `tests/bench/electrostatics_side_by_side.py` says.\n\n"
    text += "| | kJ/mol | median s | least s | least s of the processor |\n|---|---|---|---|---|\n"
    for name, times in rows.items():
        clock, used = [each[0] for each in times], [each[1] for each in times]
        text += f"| {name} | {energies[name]:.2f} | {statistics.median(clock):.2f} | {min(clock):.2f} | {min(used):.2f} |\n"
    ratios = [min(each[i] for each in rows["APBS"]) / min(each[i] for each in rows["Isolume"]) for i in (0, 1)]
    text += f"\nAPBS takes {ratios[0]:.1f} times as long by the clock, and {ratios[1]:.1f} times as much of the processor.\n"
    text += f"Without files and the estimate of its error, Isolume takes {min(alone):.2f} s, {min(each[0] for each in rows['APBS']) / min(alone):.1f} times less.\n"
    print(text)
    if arguments.output:
        arguments.output.write_text(text)


if __name__ == "__main__":
    main()
