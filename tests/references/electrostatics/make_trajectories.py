"""Writes trajectories of what no simulation made, by other programs, for tests of readers.

20 molecules of three atoms on a lattice, which shake: `places` is the same formula in trajectory_test.cpp.
pip install MDAnalysis==2.11.0 mdtraj==1.11.1.post2
"""
import warnings

import MDAnalysis
import mdtraj
import numpy as np

warnings.filterwarnings("ignore")


def places(atoms, frame):
    """In angstrom."""
    a = np.arange(atoms)
    m, s = a // 3, a % 3
    x = 3.1 * (m % 3) + np.choose(s, [0, 0.9572, -0.24]) + 0.3 * np.sin(m + 0.7 * frame)
    y = 3.1 * (m // 3 % 3) + np.choose(s, [0, 0, 0.927]) + 0.2 * np.cos(2.0 * a + frame)
    z = 3.1 * (m // 9) - 5 + 0.1 * np.sin(3.0 * a - frame)
    return np.stack([x, y, z], axis=1)


def universe(atoms, frames, last=1.0):
    """The last atom is `last` times as far away."""
    made = MDAnalysis.Universe.empty(atoms, trajectory=True)
    where = np.array([places(atoms, f) for f in range(frames)])
    where[:, -1] *= last
    made.load_new(where.astype(np.float32), order="fac",
                  dimensions=np.array([[20, 21, 22, 90, 90, 90]] * frames, dtype=np.float32))
    return made


def write(name, made, **how):
    with MDAnalysis.Writer(name, made.atoms.n_atoms, **how) as file:
        for _ in made.trajectory:
            file.write(made.atoms)


write("mdanalysis.xtc", universe(60, 5))
write("mdanalysis-few.xtc", universe(6, 2))
write("mdanalysis-wide.xtc", universe(60, 1, last=1e5))  # beyond 24 bits
write("mdanalysis.dcd", universe(60, 3))
topology = mdtraj.Topology()
chain = topology.add_chain()
residue = topology.add_residue("X", chain)
for _ in range(60):
    topology.add_atom("C", mdtraj.element.carbon, residue)
positions = np.array([places(60, f) for f in range(3)]) / 10
made = mdtraj.Trajectory(positions, topology, unitcell_lengths=np.tile([2.0, 2.1, 2.2], (3, 1)),
                         unitcell_angles=np.tile([70.0, 80.0, 100.0], (3, 1)))
made.save_xtc("mdtraj.xtc")
made.save_dcd("mdtraj.dcd")
