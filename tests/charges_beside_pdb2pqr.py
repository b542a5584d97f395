"""Compares charges and radii atom by atom with those of pdb2pqr (AMBER, without optimisation or titration), for structures of a list.

    python3 charges_beside_pdb2pqr.py ISOLUME-BATCH PDB2PQR FOLDER FILES...

Prints a row of a table for each file: atoms that both have, those with the same charge and radius, residues that differ by kind, residues that pdb2pqr leaves out.
"""
import collections
import gzip
import pathlib
import re
import subprocess
import sys


def residues_of(path):
    """Name and atoms of each residue, in the order of the file; chains are not looked at, since not all programs write them."""
    found = []
    for line in open(path):
        if not line.startswith(("ATOM", "HETATM")):
            continue
        words = line[6:].split()
        atom, residue = words[1], words[2]
        number = next(word for word in words[3:] if re.fullmatch(r"-?\d+[A-Za-z]?", word))
        chain = words[3] if words[3] != number else ""
        charge, radius = float(words[-2]), float(words[-1])
        if not found or found[-1][0] != (residue, chain, number) or atom in found[-1][1]:
            found.append(((residue, chain, number), {}))
        found[-1][1][atom] = (charge, radius)
    return found


def by_number(residues):
    table = {}
    for (name, chain, number), atoms in residues:
        table.setdefault((name, number), []).append(atoms)
    return table


def kind_of(name, ours, theirs):
    if name.startswith("HI") and {"HD1", "HE2"} & (set(ours) ^ set(theirs)):
        return "histidine's proton"
    heavy = {atom for atom in set(theirs) - set(ours) if not atom.startswith("H")}
    if heavy:
        return "OXT added" if heavy == {"OXT"} else "side chain rebuilt"
    return "other: " + " ".join(sorted(set(ours) ^ set(theirs)))[:40]


def compare(ours, theirs):
    mine, both, same, kinds, left_out = by_number(ours), 0, 0, collections.Counter(), 0
    other = by_number(theirs)
    for key, all_atoms in mine.items():
        if key not in other:
            left_out += len(all_atoms)
        for atoms, their_atoms in zip(all_atoms, other.get(key, [])):
            their_atoms = dict(their_atoms)
            if "H" in their_atoms and "H3" in their_atoms | atoms and "H" not in atoms:
                their_atoms["H1" if "H1" in atoms else "H3"] = their_atoms.pop("H")
            common = set(atoms) & set(their_atoms)
            equal = sum(all(abs(a - b) < 6e-5 for a, b in zip(atoms[atom], their_atoms[atom])) for atom in common)
            both, same = both + len(common), same + equal
            if equal != len(common) or set(atoms) != set(their_atoms):
                kinds[kind_of(key[0], atoms, their_atoms)] += 1
    return both, same, kinds, left_out


def main(program, pdb2pqr, folder, *files):
    print("| entry | residues | atoms in both | same charge and radius | residues that differ | residues that pdb2pqr leaves out |\n|---|---|---|---|---|---|")
    for file in map(pathlib.Path, files):
        name = file.name.split(".")[0]
        source, ours, theirs = (pathlib.Path(folder) / f"{name}{end}" for end in (".pdb", ".ours.pqr", ".theirs.pqr"))
        source.write_bytes(gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes())
        run = subprocess.run([program, "electrostatics", "prepare", source, "-o", ours, "--json"], capture_output=True, text=True)
        if not theirs.exists():
            subprocess.run([pdb2pqr, "--ff=AMBER", "--keep-chain", "--nodebump", "--noopt", "--drop-water", "--log-level=CRITICAL", source, theirs],
                           capture_output=True, timeout=900)
        if run.returncode or not theirs.exists() or theirs.stat().st_size == 0:
            print(f"| {name} | {'refused here' if run.returncode else 'pdb2pqr ends with an error'} | | | | |", flush=True)
            continue
        mine = residues_of(ours)
        both, same, kinds, left_out = compare(mine, residues_of(theirs))
        told = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
        print(f"| {name} | {len(mine)} | {both} | {same} | {told or 'none'} | {left_out} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
