#!/usr/bin/env python3
"""Makes what is in this folder: wavefunctions by PySCF in Molden files, the electrostatic potential of each at some places
by PySCF's integrals, and charges of its atoms. pip install pyscf"""
import gzip
import sys
from pathlib import Path

import numpy as np
from pyscf import gto, scf
from pyscf.tools import molden

out = Path(sys.argv[1])


def spherical_order(mol):
    """Rows of coefficients by m = 0, 1, -1, 2, -2 ... within each shell; p by x, y, z."""
    order, start = [], 0
    for i in range(mol.nbas):
        l = mol.bas_angular(i)
        own = [0, 1, 2] if l == 1 else [l + (m + 1) // 2 * (1 if m % 2 else -1) for m in range(2 * l + 1)]
        for _ in range(mol.bas_nctr(i)):
            order += [start + k for k in own]
            start += 2 * l + 1
    return order


def write_molden_to_h(path, mol, mf):
    """PySCF writes none with h functions. Occupied orbitals only."""
    with gzip.open(path, "wt") as file:
        molden.header(mol, file, ignore_h=False)
        file.write("[11h]\n[MO]\n")
        order = spherical_order(mol)
        for energy, occupation, column in zip(mf.mo_energy, mf.mo_occ, mf.mo_coeff.T):
            if occupation == 0:
                continue
            file.write(f" Sym= A\n Ene= {energy:.12f}\n Spin= Alpha\n Occup= {occupation:.6f}\n")
            for k, value in enumerate(column[order]):
                file.write(f" {k + 1:4d} {value:.15e}\n")


def write_molden(path, mf):
    molden.from_scf(mf, "/tmp/made.molden", ignore_h=False)
    with gzip.open(path, "wt") as file:
        file.write(open("/tmp/made.molden").read())


def density(mf):
    dm = mf.make_rdm1()
    return dm[0] + dm[1] if dm.ndim == 3 else dm


def potential_at(mol, dm, at):
    """Without a nucleus that is at the place."""
    parts = [np.einsum("pij,ij->p", mol.intor("int1e_grids", grids=part), dm) for part in np.array_split(at, len(at) // 12 + 1)]
    potential = -np.concatenate(parts)
    for charge, nucleus in zip(mol.atom_charges(), mol.atom_coords()):
        distance = np.linalg.norm(at - nucleus, axis=1)
        near = distance < 1e-4
        potential += np.where(near, 0, charge / np.where(near, 1, distance))
    return potential


radii = {"H": 1.20, "C": 1.77, "O": 1.50, "I": 2.04}  # van der Waals, angstrom (Alvarez, Dalton Trans. 2013, 8617)


def fitted_charges(mol, dm):
    """By the potential at random places of the shells of Merz and Kollman, the total charge by Lagrange's multiplier."""
    random = np.random.default_rng(3)
    centres, shells = mol.atom_coords(), []
    spheres = np.array([radii[mol.atom_pure_symbol(a)] for a in range(mol.natm)]) / 0.529177210903
    for factor in (1.4, 1.6, 1.8, 2.0):
        for a in range(mol.natm):
            around = random.normal(size=(round((20 if mol.nao > 100 else 400) * (factor * spheres[a]) ** 2), 3))
            around *= factor * spheres[a] / np.linalg.norm(around, axis=1)[:, None]
            distances = np.linalg.norm((centres[a] + around)[:, None] - centres, axis=2)
            free = [(np.delete(each, a) > np.delete(factor * spheres, a)).all() for each in distances]
            shells.append((centres[a] + around)[free])
    at = np.vstack(shells)
    inverse = 1 / np.linalg.norm(at[:, None] - centres, axis=2)
    n = mol.natm
    system, right = np.zeros((n + 1, n + 1)), np.zeros(n + 1)
    system[:n, :n] = inverse.T @ inverse
    system[n, :n] = system[:n, n] = 1
    right[:n] = inverse.T @ potential_at(mol, dm, at)
    right[n] = mol.charge
    return np.linalg.solve(system, right)[:n]


def places(mol, seed):
    """Around the molecule, near to far, and at each nucleus and very near to it."""
    random = np.random.default_rng(seed)
    around = random.normal(size=(60, 3))
    around *= (np.geomspace(0.2, 60, 60) / np.linalg.norm(around, axis=1))[:, None]
    at = mol.atom_coords()
    return np.vstack([around, at, at + [1e-3, -2e-3, 1e-3]])


def write_potential(name, mol, mf):
    at = places(mol, 7)
    potential = potential_at(mol, density(mf), at)
    np.savetxt(out / f"{name}.potential.csv", np.column_stack([at, potential]), fmt="%.15g", delimiter=",",
               header="x, y, z in bohr; potential in Eh/e, at a nucleus without that nucleus; by PySCF (int1e_grids)")


def write_charges(name, mol, mf):
    dm, overlap = density(mf), mol.intor("int1e_ovlp")
    # Loewdin's charges depend on the norms of functions: all are 1, as PySCF's Cartesian ones are not.
    norms = np.sqrt(np.diag(overlap))
    dm, overlap = dm * norms * norms[:, None], overlap / norms / norms[:, None]
    values, vectors = np.linalg.eigh(overlap)
    root = vectors * np.sqrt(values) @ vectors.T
    of_functions = np.diag(dm @ overlap), np.diag(root @ dm @ root)
    atom_of = np.array([label[0] for label in mol.ao_labels(fmt=None)])
    charges = [mol.atom_charges() - np.array([each[atom_of == a].sum() for a in range(mol.natm)]) for each in of_functions]
    charges.append(fitted_charges(mol, density(mf)))
    np.savetxt(out / f"{name}.charges.csv", np.column_stack(charges), fmt="%.12f", delimiter=",",
               header="charge of each atom: Mulliken's, Loewdin's, fitted to the potential at random places of shells (to about 0.01)")


water = "O 0 0 0.1; H 0 0.75 -0.5; H 0.1 -0.75 -0.45"
to_g = {s: gto.basis.load("6-31g", s) + more for s, more in
        {"O": [[2, [1.2, 1.0]], [3, [1.4, 1.0]], [4, [1.7, 1.0]]], "H": [[1, [0.8, 1.0]]]}.items()}
calculations = {
    "water-ccpv5z": dict(atom=water, basis="cc-pv5z"),
    "hydroxide-cartesian": dict(atom="O 0.1 -0.05 0.02; H 0.3 0.2 0.95", basis=to_g, charge=-1, cart=True),
    "oh-cartesian": dict(atom="O 0.1 -0.05 0.02; H 0.3 0.2 0.95", basis=to_g, spin=1, cart=True),
    "methyl-iodide-ecp": dict(atom="I 0 0 0; C 0 0 2.14; H 0 1.03 2.48; H 0.892 -0.515 2.48; H -0.892 -0.515 2.48",
                              basis={"I": "def2-svp", "C": "6-31g", "H": "6-31g"}, ecp={"I": "def2-svp"}),
}
for name, what in calculations.items():
    mol = gto.M(verbose=0, **what)
    mf = (scf.UHF if mol.spin else scf.RHF)(mol).run(conv_tol=1e-12)
    assert mf.converged, name
    if name == "water-ccpv5z":
        write_molden_to_h(out / f"{name}.molden.gz", mol, mf)
    else:
        write_molden(out / f"{name}.molden.gz", mf)
    write_potential(name, mol, mf)
    write_charges(name, mol, mf)
    print(name, mol.nao, mf.e_tot)
