"""Reads with yt what isolume-batch writes, and compares it with the table that isolume-batch writes of the same bodies.

usage: check_with_yt.py ISOLUME_BATCH        exit code 77: yt is not installed (Debian: python3-yt)
"""
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

try:
    import numpy as np
    import yt
    from yt.utilities.cosmology import Cosmology
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

warnings.simplefilter("ignore")  # units that are guessed, where files have none
yt.set_log_level("error")

SINGLE, DOUBLE = 2e-7, 1e-14
ENCOUNTER = ["--scene", "encounter", "--bodies", "500", "--seed", "4"]
BOX = ["--scene", "cosmological-box", "--particles-per-side", "8", "--box-size", "40", "--start-redshift", "9"]
A, H, MATTER, LAMBDA = 0.1, 0.68, 0.31, 0.69  # of that box


def converted(batch, folder, source, name):
    path = folder / name
    subprocess.run([batch, "nbody", "convert", *source, "-o", str(path)], check=True, stdout=subprocess.DEVNULL)
    return path


def table(path):
    """Columns mass,x,y,z,vx,vy,vz; the line of their names follows comments on the units."""
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    return np.loadtxt(lines[1:], delimiter=",", usecols=range(7))


def values(bodies, kind="all", length="code_length", velocity="code_velocity", mass="code_mass"):
    """The same columns, in these units."""
    wanted = {"particle_mass": mass, "particle_position": length, "particle_velocity": velocity}
    return np.column_stack([bodies[kind, field].to_value(unit) for field, unit in wanted.items()])


def near(what, found, expected, error):
    found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    assert found.shape == expected.shape, f"{what}: {found.shape}, expected {expected.shape}"
    off = np.max(np.abs(found - expected) / np.maximum(np.abs(expected), 1e-3 * np.max(np.abs(expected))))
    assert off <= error, f"{what}: off by {off:.2e}"
    print(f"{what}: {len(np.atleast_1d(found))} values within {off:.1e}")


def check_tipsy(batch, folder):
    expected = table(converted(batch, folder, ENCOUNTER, "encounter.csv"))
    found = yt.load(converted(batch, folder, ENCOUNTER, "encounter.tipsy"))
    assert found.particle_type_counts == {"Gas": 0, "Stars": 0, "DarkMatter": 500}
    bodies = found.all_data()
    near("Tipsy", values(bodies), expected, SINGLE)
    # 333 of the bodies are the first galaxy's: 0.05 for 5000 bodies, more by the root of how many fewer there are.
    near("Tipsy, softening", bodies["DarkMatter", "Epsilon"], np.full(500, 0.05 * np.sqrt(5000 / 333)), SINGLE)


def check_gadget(batch, folder):
    expected = table(converted(batch, folder, ENCOUNTER, "encounter.csv"))
    found = yt.load(converted(batch, folder, ENCOUNTER, "encounter.hdf5"))
    # Half of each galaxy is its disc, a tenth its bulge; the second has a third of all.
    counts = [found.particle_type_counts[f"PartType{kind}"] for kind in range(6)]
    assert counts == [0, 202, 249, 49, 0, 0], counts
    bodies = found.all_data()
    numbers = bodies["all", "ParticleIDs"].to_value().astype(int)
    assert (np.sort(numbers) == np.arange(1, 501)).all()
    near("GADGET", values(bodies)[np.argsort(numbers)], expected, DOUBLE)


def check_box(batch, folder):
    # Mpc/h, 100 km/s, and masses of (100 km/s)^2 Mpc / G by h.
    expected = table(converted(batch, folder, BOX, "box.csv"))
    found = yt.load(converted(batch, folder, BOX, "box.hdf5"))
    near("box, redshift", found.current_redshift, 1 / A - 1, 1e-12)
    near("box, h, Omega0, OmegaLambda", [found.hubble_constant, found.omega_matter, found.omega_lambda], [H, MATTER, LAMBDA], 0)
    near("box, sides in kpc", found.domain_width.to_value("kpc"), np.full(3, 40000 * A / H), 1e-6)
    bodies = values(found.all_data(), length="kpc", velocity="km/s", mass="Msun")
    near("box, places in kpc", bodies[:, 1:4], 1000 * A / H * expected[:, 1:4], 1e-6)
    near("box, velocities in km/s", bodies[:, 4:7], 100 * expected[:, 4:7], 1e-6)
    near("box, masses", bodies[:, 0], 2.3251e12 / H * expected[:, 0], 2e-4)
    # All of them together: the mean density, by yt's critical density today.
    critical = Cosmology(hubble_constant=H, omega_matter=MATTER, omega_lambda=LAMBDA).critical_density(0).to_value("Msun/kpc**3")
    near("box, mean density", np.sum(bodies[:, 0]) / (40000 / H) ** 3 / critical, MATTER, 2e-3)


with tempfile.TemporaryDirectory() as made:
    for check in (check_tipsy, check_gadget, check_box):
        check(sys.argv[1], Path(made))
