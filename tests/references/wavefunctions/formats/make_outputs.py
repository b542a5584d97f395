#!/usr/bin/env python3
"""Makes oh-spherical.*: one unrestricted calculation of PySCF, written in the layouts of other programs, and the values
of its orbitals at a few points by PySCF. The layouts are those of their published outputs. pip install pyscf"""
import gzip
import json
import sys
from pathlib import Path

import numpy as np
from pyscf import gto, scf

out = Path(sys.argv[1])
points = np.array([[0.3, -0.2, 0.4], [-0.7, 0.5, 1.9], [1.1, 0.9, -0.6], [0.05, -1.3, 0.8]])  # bohr
basis = {"O": gto.basis.load("6-31g", "O") + [[2, [1.2, 1.0]], [3, [1.4, 1.0]], [4, [1.7, 1.0]]],
         "H": gto.basis.load("6-31g", "H") + [[1, [0.8, 1.0]]]}
mol = gto.M(atom="O 0.1 -0.05 0.02; H 0.3 0.2 0.95", basis=basis, spin=1, verbose=0)
mf = scf.UHF(mol).run(conv_tol=1e-12)
assert mf.converged
ao = mol.eval_gto("GTOval", points)
np.savetxt(out / "oh-spherical.values.txt", np.hstack([points] + [ao @ np.asarray(c) for c in mf.mo_coeff]), fmt="%.12e",
           header="x y z (bohr), then every orbital there, alpha before beta; by PySCF")
dipole = mf.dip_moment(unit="Debye", verbose=0)
print("energy", repr(mf.e_tot), "dipole", repr(dipole))

shells = []  # atom, l, exponents, coefficients of normalised primitives; in the order of the functions
for i in range(mol.nbas):
    for k in range(mol.bas_nctr(i)):
        l = mol.bas_angular(i)
        shells.append((mol.bas_atom(i), l, mol.bas_exp(i), mol._libcint_ctr_coeff(i)[:, k] / gto.gto_norm(l, mol.bas_exp(i))))


def arranged(orders, signs=lambda l, m: 1):
    """Both sets of orbitals with the rows of each shell in the order `orders(l)` of m; p are x, y, z in PySCF."""
    rows, factors, first = [], [], 0
    for _, l, _, _ in shells:
        for m in orders(l):
            rows.append(first + ({1: 0, -1: 1, 0: 2}[m] if l == 1 else l + m))
            factors.append(signs(l, m))
        first += 2 * l + 1
    return [np.array(factors)[:, None] * np.asarray(c)[rows] for c in mf.mo_coeff]


def zero_plus_minus(l):
    return [0] + [s * m for m in range(1, l + 1) for s in (1, -1)]


def xyz(l):
    return [1, -1, 0] if l == 1 else zero_plus_minus(l)


def rising(l):
    return range(-l, l + 1)


def orca_sign(l, m):
    return -1 if abs(m) in (3, 4) else 1


def pack(name, text):
    with gzip.GzipFile(str(out / f"oh-spherical.{name}.gz"), "wb", mtime=0) as packed:
        packed.write(text.encode())


def names(l, kind, number):
    """The functions of a shell as the programs call them; `number` counts the atom's shells of this l."""
    letter = "spdfg"[l]
    if kind == "gaussian":
        first = f"{number + l}"
        if l < 2:
            return [f"{first}S"] if l == 0 else [f"{first}P{a}" for a in "XYZ"]
        return [f"{first}{letter.upper()} 0"] + [f"{first}{letter.upper()}{m:+d}" for m in zero_plus_minus(l)[1:]]
    if kind == "orca":
        if l == 2:
            return [f"{number}d{n}" for n in ("z2", "xz", "yz", "x2y2", "xy")]
        if l < 2:
            return [f"{number}s"] if l == 0 else [f"{number}p{a}" for a in "zxy"]
        return [f"{number}{letter}0"] + [f"{number}{letter}{m:+d}" for m in zero_plus_minus(l)[1:]]
    return ["s"] if l == 0 else [f"p{a}" for a in "xyz"] if l == 1 else [f"{letter} {m}" for m in range(1, 2 * l + 2)]


def rows(kind):
    """(atom, whether its first function, name) of each function."""
    counts, last = {}, None
    for atom, l, _, _ in shells:
        counts[atom, l] = counts.get((atom, l), 0) + 1
        for name in names(l, kind, counts[atom, l]):
            yield atom, atom != last, name
            last = atom


def gaussian_log():
    text = " Entering Gaussian System, Link 0=g16\n Charge =  0 Multiplicity = 2\n                         Standard orientation:\n"
    rule = " ---------------------------------------------------------------------\n"
    text += rule + " Center     Atomic      Atomic             Coordinates (Angstroms)\n Number     Number       Type             X           Y           Z\n" + rule
    for i in range(mol.natm):
        x = mol.atom_coord(i, unit="ANG")
        text += f"{i + 1:7d}{mol.atom_charge(i):11d}{0:12d}    {x[0]:12.6f}{x[1]:12.6f}{x[2]:12.6f}\n"
    text += rule + " AO basis set in the form of general basis input (Overlap normalization):\n"
    for atom in range(mol.natm):
        text += f"{atom + 1:7d} 0\n"
        for _, l, e, c in [s for s in shells if s[0] == atom]:
            text += f" {'SPDFG'[l]}   {len(e)} 1.00       0.000000000000\n"
            text += "".join(f"      {a:.10E} {b: .10E}\n".replace("E", "D") for a, b in zip(e, c))
        text += " ****\n"
    text += "\n     5 alpha electrons        4 beta electrons\n"
    text += f" SCF Done:  E(UHF) =  {mf.e_tot:.9f}     A.U. after   13 cycles\n"
    for spin, word in ((0, "Alpha"), (1, "Beta")):
        mo = arranged(xyz)[spin]
        text += f"     {word} Molecular Orbital Coefficients:\n"
        for first in range(0, mol.nao, 5):
            part = range(first, min(first + 5, mol.nao))
            text += " " * 21 + "".join(f"{i + 1:6d}    " for i in part).rstrip() + "\n"
            text += " " * 21 + "".join(f"{'O' if i < 5 - spin else 'V':>6s}    " for i in part).rstrip() + "\n"
            text += "     Eigenvalues --  " + "".join(f"{mf.mo_energy[spin][i]:10.5f}" for i in part) + "\n"
            for n, (atom, begins, name) in enumerate(rows("gaussian")):
                head = f"{n + 1:4d} " + (f"{atom + 1:<3d} {mol.atom_pure_symbol(atom):<2s} " if begins else " " * 7) + f"{name:<9s}"
                text += f"{head[:21]:21s}" + "".join(f"{mo[n, i]:10.5f}" for i in part) + "\n"
    text += " Dipole moment (field-independent basis, Debye):\n"
    text += "".join(f"    {a}= {d:19.4f}" for a, d in zip("XYZ", dipole)) + f"  Tot= {np.linalg.norm(dipole):19.4f}\n"
    text += " Normal termination of Gaussian 16\n"
    pack("log", text)


def orca_output():
    text = "                                 *****************\n                                 * O   R   C   A *\n"
    text += "                                 *****************\n Total Charge           Charge          ....    0\n Multiplicity           Mult            ....    2\n"
    text += "----------------------------\nCARTESIAN COORDINATES (A.U.)\n----------------------------\n"
    text += "  NO LB      ZA    FRAG     MASS         X           Y           Z\n"
    for i in range(mol.natm):
        x = mol.atom_coord(i)
        text += f"{i:4d} {mol.atom_pure_symbol(i):<2s}{mol.atom_charge(i):9.4f}    0{1.0:10.3f}{x[0]:12.6f}{x[1]:12.6f}{x[2]:12.6f}\n"
    text += "\n-------------------------\nBASIS SET IN INPUT FORMAT\n-------------------------\n"
    for atom in range(mol.natm):
        text += f"\n # Basis set for element : {mol.atom_pure_symbol(atom)} \n NewGTO {mol.atom_pure_symbol(atom)} \n"
        for _, l, e, c in [s for s in shells if s[0] == atom]:
            text += f" {'SPDFG'[l]} {len(e)} \n"
            text += "".join(f"{n + 1:4d}{a:19.10f}{b:20.10f}\n" for n, (a, b) in enumerate(zip(e, c)))
        text += "  end;\n"
    text += "\n------------------\nMOLECULAR ORBITALS\n------------------\n"
    for spin in (0, 1):
        mo = arranged(zero_plus_minus, orca_sign)[spin]
        for first in range(0, mol.nao, 6):
            part = range(first, min(first + 6, mol.nao))
            text += " " * 16 + "".join(f"{i:7d}   " for i in part) + "\n"
            text += " " * 16 + "".join(f"{mf.mo_energy[spin][i]:10.5f}" for i in part) + "\n"
            text += " " * 16 + "".join(f"{1.0 if i < 5 - spin else 0.0:10.5f}" for i in part) + "\n"
            text += " " * 16 + "".join("  --------" for _ in part) + "\n"
            for n, (atom, _, name) in enumerate(rows("orca")):
                text += f"{atom:3d}{mol.atom_pure_symbol(atom):<2s}  {name:<9s}" + "".join(f"{mo[n, i]:10.6f}" for i in part) + "\n"
        text += "\n"
    text += f"\n-------------------------   --------------------\nFINAL SINGLE POINT ENERGY     {mf.e_tot:17.12f}\n-------------------------   --------------------\n"
    text += "Total Dipole Moment    : " + "".join(f"{d / 2.541746473:17.9f}" for d in dipole) + "\n"
    pack("out", text)


def qchem_output():
    text = "                  Welcome to Q-Chem\n Q-Chem 5.4, Q-Chem, Inc., Pleasanton, CA (2021)\n"
    text += "             Standard Nuclear Orientation (Angstroms)\n    I     Atom           X                Y                Z\n ---\n"
    for i in range(mol.natm):
        x = mol.atom_coord(i, unit="ANG")
        text += f"{i + 1:5d}      {mol.atom_pure_symbol(i):<2s}{x[0]:17.10f}{x[1]:17.10f}{x[2]:17.10f}\n"
    text += " ---\n There are        5 alpha and        4 beta electrons\n"
    text += " Basis set in general basis input format:\n------------------------------------------------------------------------\n$basis\n"
    for atom in range(mol.natm):
        text += f"{mol.atom_pure_symbol(atom)}    0\n"
        for _, l, e, c in [s for s in shells if s[0] == atom]:
            text += f"{'SPDFG'[l]}    {len(e)}    1.000000\n"
            text += "".join(f"  {a:.8E}    {b:.8E} \n" for a, b in zip(e, c))
        text += "****\n"
    text += f"$end\n------------------------------------------------------------------------\n SCF   energy in the final basis set = {mf.e_tot:.10f}\n Total energy in the final basis set = {mf.e_tot:.10f}\n"
    for spin, word in ((0, "ALPHA"), (1, "BETA ")):
        mo = arranged(lambda l: [1, -1, 0] if l == 1 else rising(l))[spin]
        text += f"\n                        {word} MOLECULAR ORBITAL COEFFICIENTS\n"
        for first in range(0, mol.nao, 6):
            part = range(first, min(first + 6, mol.nao))
            text += " " * 18 + "".join(f"{i + 1:8d}  " for i in part).rstrip() + "\n"
            text += " eigenvalues:     " + "".join(f"{mf.mo_energy[spin][i]:10.3f}" for i in part) + "\n"
            for n, (atom, _, name) in enumerate(rows("qchem")):
                text += f"{n + 1:4d}  {mol.atom_pure_symbol(atom):<2s}{atom + 1:<3d} {name:<6s}"[:18].ljust(18) + "".join(f"{mo[n, i]:10.5f}" for i in part) + "\n"
    text += "    Dipole Moment (Debye)\n" + "".join(f"         {a} {d:12.4f}" for a, d in zip("XYZ", dipole)) + f"\n       Tot {np.linalg.norm(dipole):12.4f}\n"
    pack("qchem.out", text)


def qcschema():
    centres = {}
    for atom in range(mol.natm):
        centres[f"{mol.atom_pure_symbol(atom)}{atom + 1}"] = {"electron_shells": [
            {"angular_momentum": [l], "harmonic_type": "spherical", "exponents": list(map(float, e)),
             "coefficients": [list(map(float, c))]} for a, l, e, c in shells if a == atom]}
    alpha, beta = arranged(rising)
    root = {
        "schema_name": "qcschema_output", "schema_version": 1, "driver": "energy", "success": True,
        "provenance": {"creator": "PySCF"},
        "molecule": {"schema_name": "qcschema_molecule", "symbols": ["O", "H"], "geometry": list(map(float, mol.atom_coords().ravel())),
                     "molecular_charge": 0.0, "molecular_multiplicity": 2},
        "properties": {"return_energy": mf.e_tot, "scf_dipole_moment": [float(d / 2.541746473) for d in dipole]},
        "return_result": mf.e_tot,
        "wavefunction": {
            "restricted": False, "basis": {"name": "made", "center_data": centres, "atom_map": ["O1", "H2"], "nbf": mol.nao},
            "orbitals_a": "scf_orbitals_a", "orbitals_b": "scf_orbitals_b", "eigenvalues_a": "scf_eigenvalues_a",
            "eigenvalues_b": "scf_eigenvalues_b", "occupations_a": "scf_occupations_a", "occupations_b": "scf_occupations_b",
            "scf_orbitals_a": alpha.tolist(), "scf_orbitals_b": list(map(float, beta.ravel())),
            "scf_eigenvalues_a": mf.mo_energy[0].tolist(), "scf_eigenvalues_b": mf.mo_energy[1].tolist(),
            "scf_occupations_a": mf.mo_occ[0].tolist(), "scf_occupations_b": mf.mo_occ[1].tolist()},
    }
    pack("qcschema.json", json.dumps(root))


def orca_json():
    both = arranged(zero_plus_minus, orca_sign)
    atoms = [{"Basis": [{"Shell": "spdfg"[l], "Exponents": list(map(float, e)), "Coefficients": list(map(float, c))}
                        for a, l, e, c in shells if a == atom],
              "Coords": list(map(float, mol.atom_coord(atom, unit="ANG"))), "ElementLabel": mol.atom_pure_symbol(atom),
              "ElementNumber": int(mol.atom_charge(atom)), "Idx": atom, "NuclearCharge": float(mol.atom_charge(atom))}
             for atom in range(mol.natm)]
    orbitals = [{"MOCoefficients": both[s][:, i].tolist(), "Occupancy": float(mf.mo_occ[s][i]),
                 "OrbitalEnergy": float(mf.mo_energy[s][i]), "OrbitalSymLabel": "A", "OrbitalSymmetry": 0}
                for s in (0, 1) for i in range(mol.nao)]
    labels = [f"{atom}{mol.atom_pure_symbol(atom)}   {name}" for atom, _, name in rows("orca")]
    root = {"Molecule": {"Atoms": atoms, "BaseName": "oh", "Charge": 0, "CoordinateUnits": "Angs", "HFTyp": "UHF",
                         "MolecularOrbitals": {"EnergyUnit": "Eh", "MOs": orbitals, "OrbitalLabels": labels},
                         "Multiplicity": 2, "PointGroup": "C1"},
            "ORCA Header": {"Version": "6.0.0"}}
    pack("orca.json", json.dumps(root))


def psi4_output():
    text = "          Psi4: An Open-Source Ab Initio Electronic Structure Package\n                               Psi4 1.7 release\n\n"
    text += "    Geometry (in Angstrom), charge = 0, multiplicity = 2:\n\n       Center              X                  Y                   Z               Mass       \n"
    text += "    ------------   -----------------  -----------------  -----------------  -----------------\n"
    for i in range(mol.natm):
        x = mol.atom_coord(i, unit="ANG")
        text += f"         {mol.atom_pure_symbol(i):<2s}       {x[0]:17.12f}  {x[1]:17.12f}  {x[2]:17.12f}  {1.0:17.12f}\n"
    text += "\n  ==> AO Basis Functions <==\n\n    [ MADE ]\n    spherical\n    ****\n"
    for atom in range(mol.natm):
        text += f"   {mol.atom_pure_symbol(atom):>2s} {atom + 1:3d}\n"
        for _, l, e, c in [s for s in shells if s[0] == atom]:
            text += f"    {'SPDFG'[l]} {len(e):3d} 1.00\n"
            text += "".join(f"               {a:20.8f} {b * gto.gto_norm(l, a) / spherical_norm(l):20.8f}\n" for a, b in zip(e, c))
        text += "    ****\n"
    text += f"\n    Total Energy =                        {mf.e_tot:.16f}\n\n"
    for axis, d in zip("XYZ", dipole):
        text += f" Dipole {axis}            : {0:18.7f} {0:20.7f} {d / 2.541746473:20.7f}\n"
    for spin, word in ((0, "Alpha"), (1, "Beta")):
        mo = arranged(zero_plus_minus)[spin]
        text += f"\n  ==> {word}-Spin Molecular Orbitals <==\n\n"
        for first in range(0, mol.nao, 5):
            part = range(first, min(first + 5, mol.nao))
            text += " " * (16 if len(part) == 5 else 15) + "".join(f"{i + 1:13d}" for i in part) + "\n\n"
            n = 0
            for atom, l, _, _ in shells:
                for m in zero_plus_minus(l):
                    label = f"{mol.atom_pure_symbol(atom)}{atom + 1} {'spdfg'[l]}" + (f"{m:+d}" if m else "0")
                    text += f" {n + 1:<4d} {label:<10s}" + "".join(f"{mo[n, i]:13.7f}" for i in part) + "\n"
                    n += 1
            text += "\n            Ene " + "".join(f"{mf.mo_energy[spin][i]:13.7f}" for i in part)
            text += "\n            Sym " + "".join(f"{'A':>13s}" for i in part)
            text += "\n            Occ " + "".join(f"{int(mf.mo_occ[spin][i]):13d}" for i in part) + "\n\n\n"
    pack("psi4.out", text + "\n*** Psi4 exiting successfully. Buy a developer a beer!\n")


def spherical_norm(l):
    """What PySCF's norm of the radial part alone has beside that of x^l: the norm of the angular part."""
    double_factorial = np.prod(np.arange(2 * l - 1, 0, -2)) if l else 1
    return gto.gto_norm(l, 1.0) / ((2 / np.pi) ** 0.75 * 4 ** (l / 2) / double_factorial ** 0.5)


def nwchem_output(name, sign):
    """NWChem tells only of the orbitals near the frontier; here of those from the second."""
    text = "              Northwest Computational Chemistry Package (NWChem) 7.0.2\n\n                             Geometry \"geometry\" -> \"\"\n\n"
    text += " Output coordinates in angstroms (scale by  1.889725989 to convert to a.u.)\n\n  No.       Tag          Charge          X              Y              Z\n"
    text += " ---- ---------------- ---------- -------------- -------------- --------------\n"
    for i in range(mol.natm):
        x = mol.atom_coord(i, unit="ANG")
        text += f"{i + 1:5d} {mol.atom_pure_symbol(i):<16s}{mol.atom_charge(i):11.4f}{x[0]:15.8f}{x[1]:15.8f}{x[2]:15.8f}\n"
    text += "\n                      Basis \"ao basis\" -> \"ao basis\" (spherical)\n                      -----\n"
    for atom, full in ((1, "Hydrogen"), (0, "Oxygen")):
        text += f"  {mol.atom_pure_symbol(atom)} ({full})\n  ----------\n            Exponent  Coefficients \n       -------------- ---------------------------------------------------------\n"
        for n, (_, l, e, c) in enumerate([s for s in shells if s[0] == atom]):
            text += "".join(f"  {n + 1} {'SPDFG'[l]}  {a:.8E} {b:9.6f}\n" for a, b in zip(e, c)) + "\n"
    text += " Summary of \"ao basis\" -> \"ao basis\" (spherical)\n\n          charge          =   0.00\n          open shells     =     1\n"
    text += f"\n         Total SCF energy = {mf.e_tot:19.12f}\n"
    for spin, word in ((0, "Alpha"), (1, "Beta")):
        text += f"\n                       UHF Final {word} Molecular Orbital Analysis\n                       -------------------------------------\n\n"
        for i in range(1, mol.nao):
            text += f" Vector{i + 1:5d}  Occ={mf.mo_occ[spin][i]:12.6E}  E={mf.mo_energy[spin][i]:13.6E}\n              MO Center=  2.1D-15,  2.7D-16, -3.2D-15, r^2= 8.4D-01\n\n".replace("E+", "D+").replace("E-", "D-")
    text += "\n                                 Final MO vectors\n                                 ----------------\n\n"
    for spin, word in ((0, "alpha"), (1, "beta")):
        mo = arranged(lambda l: [1, -1, 0] if l == 1 else rising(l), sign)[spin]
        text += f"\n global array: {word} evecs[1:{mol.nao},1:{mol.nao}],  handle: -995 \n\n"
        for first in range(0, mol.nao, 6):
            part = range(first, min(first + 6, mol.nao))
            text += "     " + "".join(f"{i + 1:8d}    " for i in part) + "\n       " + " ".join("-----------" for _ in part) + "\n"
            text += "".join(f"{n + 1:4d}   " + " ".join(f"{mo[n, i]:11.5f}" for i in part) + "\n" for n in range(mol.nao)) + "\n"
    pack(name, text + " center of mass\n")


nwchem_output("nwchem.out", lambda l, m: -1 if l > 1 and m > 0 and m % 2 else 1)
gaussian_log()
orca_output()
psi4_output()
qchem_output()
qcschema()
orca_json()
