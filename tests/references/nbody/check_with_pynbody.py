"""Reads with pynbody what isolume-batch writes, and compares it with the table that isolume-batch writes of the same bodies.

usage: check_with_pynbody.py ISOLUME_BATCH        exit code 77: pynbody is not installed (pip install pynbody)
"""
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

try:
    import numpy as np
    import pynbody
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

warnings.simplefilter("ignore")  # units and cosmology that are guessed, where files have none

SINGLE, DOUBLE = 2e-7, 1e-14
ENCOUNTER = ["--scene", "encounter", "--bodies", "500", "--seed", "4"]
BOX = ["--scene", "cosmological-box", "--particles-per-side", "8", "--box-size", "40", "--start-redshift", "9"]
A, H, MATTER, LAMBDA = 0.1, 0.68, 0.31, 0.69  # of that box


def converted(batch, folder, source, name):
    path = folder / name
    subprocess.run([batch, "nbody", "convert", *source, "-o", str(path)], check=True, stdout=subprocess.DEVNULL)
    return path


def table(path):
    """Columns mass,x,y,z,vx,vy,vz."""
    return np.loadtxt(path, delimiter=",", skiprows=1)


def columns(snapshot):
    return np.column_stack([snapshot["mass"], snapshot["pos"], snapshot["vel"]])


def near(what, found, expected, error):
    found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    assert found.shape == expected.shape, f"{what}: {found.shape}, expected {expected.shape}"
    off = np.max(np.abs(found - expected) / np.maximum(np.abs(expected), 1e-3 * np.max(np.abs(expected))))
    assert off <= error, f"{what}: off by {off:.2e}"
    print(f"{what}: {len(np.atleast_1d(found))} values within {off:.1e}")


def check_tipsy(batch, folder):
    expected = table(converted(batch, folder, ENCOUNTER, "encounter.csv"))
    found = pynbody.load(str(converted(batch, folder, ENCOUNTER, "encounter.tipsy")))
    assert len(found.dm) == 500
    near("Tipsy", columns(found), expected, SINGLE)
    near("Tipsy, softening", found["eps"], np.full(500, 0.05), SINGLE)


def check_gadget(batch, folder):
    expected = table(converted(batch, folder, ENCOUNTER, "encounter.csv"))
    found = pynbody.load(str(converted(batch, folder, ENCOUNTER, "encounter.hdf5")))
    types = [f"PartType{kind}" for kind in (1, 2, 3)]
    counts = [found._gadget_ptype_slice[each].stop - found._gadget_ptype_slice[each].start for each in types]
    # Half of each galaxy is its disc, a tenth its bulge; the second has a third of all.
    assert counts == [202, 249, 49], counts
    order = np.argsort(found["iord"])
    assert (np.sort(found["iord"]) == np.arange(1, 501)).all()
    near("GADGET", columns(found)[order], expected, DOUBLE)


def check_box(batch, folder):
    # Mpc/h, 100 km/s, and masses of (100 km/s)^2 Mpc / G by h.
    expected = table(converted(batch, folder, BOX, "box.csv"))
    found = pynbody.load(str(converted(batch, folder, BOX, "box.hdf5")))
    near("box, scale factor", found.properties["a"], A, 1e-12)
    near("box, h, Omega0, OmegaLambda", [found.properties[each] for each in ("h", "omegaM0", "omegaL0")], [H, MATTER, LAMBDA], 0)
    found.physical_units(distance="kpc", velocity="km s**-1", mass="Msol")
    near("box, side in kpc", found.properties["boxsize"].in_units("kpc", **found.conversion_context()), 40000 * A / H, 1e-6)
    near("box, places in kpc", found["pos"], 1000 * A / H * expected[:, 1:4], 1e-6)
    near("box, velocities in km/s", found["vel"], 100 * expected[:, 4:7], 1e-6)
    near("box, masses", found["mass"], 2.3251e12 / H * expected[:, 0], 2e-4)
    # All of them together: the mean density, by pynbody's critical density today.
    critical = pynbody.analysis.cosmology.rho_crit(found, z=0, unit="Msol kpc**-3")
    near("box, mean density", np.sum(found["mass"]) / (40000 / H) ** 3 / critical, MATTER, 2e-3)


with tempfile.TemporaryDirectory() as made:
    for check in (check_tipsy, check_gadget, check_box):
        check(sys.argv[1], Path(made))
