"""Writes glycan.pdb: the heavy atoms of a sugar tree, of wwPDB's ideal residues joined at 117 degrees, turned to where there is room.

pip install biotite (1.6), whose wheel has wwPDB's chemical components
"""
import pathlib

import biotite.structure.info as info
import numpy as np

# residue, its anomeric carbon, the residue that it is bonded to, counted from 1, and that one's atom
TREE = [("NAG", "C1", 0, ""), ("NAG", "C1", 1, "O4"), ("BMA", "C1", 2, "O4"), ("MAN", "C1", 3, "O6"), ("MAN", "C1", 3, "O3"),
        ("FUC", "C1", 1, "O6"), ("NAG", "C1", 4, "O2"), ("GAL", "C1", 7, "O4"), ("SIA", "C2", 8, "O6")]


def rotation(axis, angle):
    axis = axis / np.linalg.norm(axis)
    k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def turned_onto(a, b):
    """The rotation of the direction a onto b."""
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    axis = np.cross(a, b)
    return rotation(axis if np.linalg.norm(axis) > 1e-9 else np.array([1.0, 0, 0]), np.arctan2(np.linalg.norm(axis), a @ b))


placed = []  # (residue, {name: place})
for name, anomeric, to, oxygen in TREE:
    atoms = info.residue(name)
    own = {a.atom_name: np.array(a.coord, float) for a in atoms if a.element != "H"}
    leaving = "O" + anomeric[1]
    if to:
        base = placed[to - 1][1]
        at, carbon = base[oxygen], base["C" + oxygen[1]]
        others = np.array([p for _, r in placed for p in r.values()])
        best = None
        for turn in range(0, 360, 10):
            away = (carbon - at) / np.linalg.norm(carbon - at)
            side = np.cross(away, [0.3, 0.5, 0.8])
            bond = rotation(away, np.radians(turn)) @ rotation(side, np.radians(117)) @ away
            for spin in range(0, 360, 10):
                turned = rotation(bond, np.radians(spin)) @ turned_onto(own[anomeric] - own[leaving], bond)
                there = {a: turned @ (p - own[leaving]) + at for a, p in own.items() if a != leaving}
                far = [p for a, p in there.items() if a != anomeric]
                near = [p for p in others if not (p == at).all()]
                room = min(np.linalg.norm(p - q) for p in far for q in near)
                if best is None or room > best[0]:
                    best = (room, there)
        own = best[1]
    placed.append((name, own))
lines = ["REMARK   3 A SUGAR TREE OF IDEAL RESIDUES, WRITTEN BY make_glycan.py"]
for number, (name, own) in enumerate(placed, 1):
    for atom, place in own.items():
        lines.append("HETATM%5d  %-3s %3s A%4d    %8.3f%8.3f%8.3f  1.00  0.00          %2s"
                     % (len(lines), atom, name, number, *place, atom[0]))
(pathlib.Path(__file__).parent / "glycan.pdb").write_text("\n".join(lines + ["END", ""]))
