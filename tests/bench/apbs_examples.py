#!/usr/bin/env python3
"""Compares polar solvation energies with APBS on the molecules of APBS's own examples.

    apbs_examples.py BUILD/bin/isolume-batch [--examples /usr/share/apbs/examples ...] [--dots 160]
        [--output tests/bench/results/apbs_examples.md]

Every `elec` section with `mg-manual` or `mg-auto` and the molecular surface (`srfm mol`) of the examples' inputs becomes one
calculation on a single grid, that of the section (the fine one of mg-auto), with its dielectrics, probe, ions and temperature.
Both programs solve the linear equation with charges spread linearly, a sharp dielectric boundary and screened Coulomb
potentials of each charge at the faces; the reference state has the solute's dielectric everywhere and no ions. Sections that
agree in all of this are calculated once. APBS places --dots dots to the square angstrom of each atom's sphere to find the
surface: too few leave gaps that the probe cannot enter, and a solute that is too large.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

SECTION = """elec name {name}
  mg-manual
  dime {dime}
  grid {grid}
  gcent {centre}
  mol 1
  lpbe
  bcfl mdh
  {ions}
  pdie {pdie}
  sdie {sdie}
  chgm spl0
  srfm mol
  srad {srad}
  swin 0.3
  sdens {dots}
  temp {temp}
  calcenergy total
  calcforce no
  {write}
end
"""


def sections(path):
    """Yields each elec section of an APBS input as {keyword: [words of each occurrence]}, with the PQR file it is about."""
    words = [line.split("#")[0].split() for line in path.read_text(errors="replace").splitlines()]
    molecules, section = [], None
    for line in filter(None, words):
        if line[:2] == ["mol", "pqr"]:
            molecules += line[2:]
        elif line[0] == "elec":
            section = {}
        elif line[0] == "end" and section is not None:
            number = int(section.get("mol", [["1"]])[0][0])
            if number <= len(molecules):
                yield section, path.parent / molecules[number - 1], molecules
            section = None
        elif section is not None:
            section.setdefault(line[0], []).append(line[1:])


def centre_of(words, molecules, folder):
    if words[0] != "mol":
        return [float(word) for word in words]
    atoms = coordinates(folder / molecules[int(words[1]) - 1])
    # As APBS: the middle of the box around the atoms' spheres.
    return [(min(a[i] - a[3] for a in atoms) + max(a[i] + a[3] for a in atoms)) / 2 for i in range(3)]


def coordinates(path):
    atoms = []
    for line in path.read_text(errors="replace").splitlines():
        if line.startswith(("ATOM", "HETATM")):
            *_, x, y, z, _charge, radius = line.split()[:11] if len(line.split()) > 11 else line.split()
            atoms.append([float(x), float(y), float(z), float(radius)])
    return atoms


def calculation_of(section, molecule, molecules):
    """What both programs need, or the reason why the section cannot be compared."""
    if not ("mg-manual" in section or "mg-auto" in section):
        return "neither mg-manual nor mg-auto"
    if section.get("srfm", [[""]])[0][:1] != ["mol"]:
        return "another surface"
    dime = [int(word) for word in section["dime"][0]]
    if "grid" in section:
        grid = [float(word) for word in section["grid"][0]]
    else:
        lengths = section["fglen" if "mg-auto" in section else "glen"][0]
        grid = [float(length) / (count - 1) for length, count in zip(lengths, dime)]
    centre = centre_of(section.get("gcent", section.get("fgcent"))[0], molecules, molecule.parent)
    for atom in coordinates(molecule):
        if any(abs(atom[i] - centre[i]) + atom[3] > grid[i] * (dime[i] - 1) / 2 for i in range(3)):
            return "the molecule does not fit into the fine grid"
    ions = []
    for words in section.get("ion", []):
        values = dict(zip(words[::2], words[1::2])) if words[0].isalpha() else dict(zip(("charge", "conc", "radius"), words))
        ions.append({key: float(values[key]) for key in ("charge", "conc", "radius")})
    strength = sum(ion["conc"] * ion["charge"] ** 2 for ion in ions) / 2
    return {"dime": dime, "grid": grid, "centre": centre, "strength": strength, "radius": ions[0]["radius"] if ions else 2.0,
            **{key: float(section[key][0][0]) for key in ("pdie", "sdie", "srad", "temp")}}


def apbs(calculation, molecule, folder, dots):
    ions = "\n  ".join(f"ion charge {sign} conc {calculation['strength']} radius {calculation['radius']}" for sign in (1, -1))
    fill = {key: " ".join(repr(value) for value in calculation[key]) for key in ("dime", "grid", "centre")}
    fill |= {key: calculation[key] for key in ("pdie", "srad", "temp")} | {"dots": dots}
    text = f"read\n  mol pqr {molecule}\nend\n"
    text += SECTION.format(name="solvated", ions=ions, sdie=calculation["sdie"], write="write pot dx map", **fill)
    text += SECTION.format(name="reference", ions="", sdie=calculation["pdie"], write="", **fill)
    text += "print elecEnergy solvated - reference end\nquit\n"
    (folder / "in.in").write_text(text)
    out = subprocess.run(["apbs", "in.in"], cwd=folder, check=True, capture_output=True, text=True).stdout
    return float(re.search(r"Global net ELEC energy = (\S+)", out).group(1))


def isolume(program, calculation, molecule, folder):
    command = [program, "electrostatics", "potential", molecule, "--like", next(folder.glob("map*.dx")), "--method", "pb-linear"]
    command += ["--solute-dielectric", str(calculation["pdie"]), "--solvent-dielectric", str(calculation["sdie"])]
    command += ["--salt", str(calculation["strength"]), "--ion-radius", str(calculation["radius"])]
    command += ["--temperature", str(calculation["temp"]), "--probe", str(calculation["srad"])]
    command += ["--charge-spline", "linear", "--interface", "sharp", "--focusing", "1", "-o", folder / "ours.dx", "--json"]
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return json.loads(out)["energy"]["polar_solvation_kj_per_mol"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path, help="isolume-batch")
    parser.add_argument("--examples", type=pathlib.Path, nargs="+", default=[pathlib.Path("/usr/share/apbs/examples")])
    parser.add_argument("--dots", type=float, default=160)
    parser.add_argument("--output", type=pathlib.Path, help="Markdown to write")
    arguments = parser.parse_args()
    rows, done = [], set()
    for path in sorted(path for folder in arguments.examples for path in folder.rglob("*.in")):
        for section, molecule, molecules in sections(path):
            if not molecule.exists():
                continue
            calculation = calculation_of(section, molecule, molecules)
            if isinstance(calculation, str) or calculation["pdie"] == calculation["sdie"]:
                continue
            key = (molecule, json.dumps(calculation))
            if key in done:
                continue
            done.add(key)
            with tempfile.TemporaryDirectory() as folder:
                theirs = apbs(calculation, molecule.resolve(), pathlib.Path(folder), arguments.dots)
                ours = isolume(arguments.program.resolve(), calculation, molecule.resolve(), pathlib.Path(folder))
            row = (f"{path.parent.name}/{molecule.name}", "x".join(map(str, calculation["dime"])), max(calculation["grid"]),
                   calculation["srad"], theirs, ours)
            print(*row, f"{100 * (ours / theirs - 1):+.2f} %", file=sys.stderr)
            rows.append(row)
    differences = [abs(ours / theirs - 1) for *_, theirs, ours in rows]
    text = "# Polar solvation energies of APBS's examples\n\n"
    text += f"{len(rows)} calculations, each on the grid of the example, as `tests/bench/apbs_examples.py` describes; APBS "
    text += f"with {arguments.dots:g} dots to the square angstrom.\n"
    text += f"Largest difference {100 * max(differences):.2f} %, {sum(d > 0.007 for d in differences)} above 0.7 %.\n\n"
    text += "| molecule | grid | spacing (Å) | probe (Å) | APBS (kJ/mol) | Isolume (kJ/mol) | difference |\n|---|---|---|---|---|---|---|\n"
    for name, dime, grid, probe, theirs, ours in rows:
        text += f"| {name} | {dime} | {grid:.3f} | {probe:g} | {theirs:.2f} | {ours:.2f} | {100 * (ours / theirs - 1):+.2f} % |\n"
    print(text)
    if arguments.output:
        arguments.output.write_text(text)


if __name__ == "__main__":
    main()
