"""Writes charmm-assigned.csv.gz: charges and radii of CHARMM36 as OpenMM's templates assign them to atoms by their bonds.

    python3 charmm_assigned.py 1FAS=1fas.pqr 1LCD=1lcd.pqr ...

The PQR files say where the atoms are, with hydrogens; their charges and radii are not looked at. They are what `isolume-batch electrostatics
prepare --force-field charmm` writes of the entries beside this file. pip install openmm (8.6)
"""
import gzip
import io
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

import openmm.app as app

# Others, as of modified bases, make of a thymine a methylated uracil.
PATCHES = {"NTER", "GLYP", "PROP", "CTER", "DISU", "ASPP", "GLUP", "LSN", "DEOX", "DEO5TER", "5TER", "3TER"}
FILES = ("charmm36_2024.xml", "charmm36_2024/water.xml")


def as_pdb(pqr):
    """OpenMM knows bonds by names as they are in PDB files."""
    lines, last = [], None
    for number, line in enumerate(l for l in open(pqr) if l.startswith(("ATOM", "HETATM"))):
        _, _, atom, residue, chain, position, x, y, z, *_ = line.split()
        if last is not None and last != chain:
            lines.append("TER")
        last = chain
        element = residue if atom == residue else re.match(r"\d*([A-Z])", atom)[1]
        name = atom if len(atom) == 4 else " " + atom
        lines.append(f"ATOM  {number % 99999 + 1:5d} {name:<4} {residue:>3} {chain}{int(position):4d}    "
                     f"{float(x):8.3f}{float(y):8.3f}{float(z):8.3f}  1.00  0.00          {element[:2]:>2}")
    return "\n".join(lines + ["END", ""])


def radii():
    found = {}
    folder = pathlib.Path(app.__file__).parent / "data"
    for name in FILES:
        for force in ElementTree.parse(folder / name).getroot().iter("LennardJonesForce"):
            for atom in force.iter("Atom"):
                found[atom.get("type") or atom.get("class")] = 10 * float(atom.get("sigma")) * 2**(1 / 6) / 2
    return found


def assigned(field, radius_of, pqr):
    pdb = app.PDBFile(io.StringIO(as_pdb(pqr)))
    data = app.ForceField._SystemData(pdb.topology)
    field._matchAllResiduesToTemplates(data, pdb.topology, {}, False)
    for residue in pdb.topology.residues():
        for atom in residue.atoms():
            kind = data.atomType[atom]
            charge = data.atomParameters[atom]["charge"]
            radius = radius_of.get(kind, radius_of.get(field._atomTypes[kind].atomClass))
            yield residue.name, residue.chain.id, residue.id, atom.name, charge, radius


if __name__ == "__main__":
    field, radius_of = app.ForceField(*FILES), radii()
    for residue, patches in field._templatePatches.items():
        field._templatePatches[residue] = {p for p in patches if p[0].split("_")[0] in PATCHES}
    lines = ["# CHARMM36 by OpenMM 8.6, in e and angstrom. Written by charmm_assigned.py.",
             "entry,residue,chain,number,atom,charge,radius"]
    for argument in sys.argv[1:]:
        entry, file = argument.split("=")
        lines += [f"{entry},{residue},{chain},{number},{atom},{charge:g},{radius:.5g}"
                  for residue, chain, number, atom, charge, radius in assigned(field, radius_of, file)]
    target = pathlib.Path(__file__).parent / "charmm-assigned.csv.gz"
    target.write_bytes(gzip.compress(("\n".join(lines) + "\n").encode(), mtime=0))
