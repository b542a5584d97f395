"""Writes snapshots for the tests of readers, and what pynbody finds in them.

pynbody.tipsy         written by pynbody: 2 bodies of gas, 3 of dark matter, 4 stars
pynbody-tipsy.csv     the same bodies: mass,x,y,z,vx,vy,vz
box.0.hdf5, .1.hdf5   a comoving box as GADGET-4 writes it (h5py): two files, types 1 and 2, single precision, packed, kpc/h
pynbody-box.csv       the same bodies as pynbody reads them, in physical units: solar masses, kpc, km/s

pip install pynbody h5py (2.8.0, 3.16.0)
"""
import h5py
import numpy as np
import pynbody

COLUMNS = "mass,x,y,z,vx,vy,vz"


def numbers(count, start):
    """Between -1 and 1, of no system (the golden ratio's multiples)."""
    return 2 * np.modf((start + np.arange(count)) * 0.6180339887498949)[0] - 1


def write_table(name, mass, places, velocities):
    np.savetxt(name, np.column_stack([mass, places, velocities]), delimiter=",", header=COLUMNS, comments="", fmt="%.17g")


def write_tipsy():
    snapshot = pynbody.new(gas=2, dm=3, star=4, order="gas,dm,star")
    snapshot["mass"] = 0.5 + np.arange(9)
    snapshot["pos"] = numbers(27, 1).reshape(9, 3)
    snapshot["vel"] = 3 * numbers(27, 100).reshape(9, 3)
    snapshot.properties["time"] = 1.25
    for name in ("rho", "temp", "metals", "eps"):
        snapshot.gas[name] = 1.0
    for name in ("tform", "metals", "eps"):
        snapshot.star[name] = 1.0
    snapshot.dm["eps"] = 1.0
    snapshot["phi"] = 0.0
    snapshot.write(fmt=pynbody.snapshot.tipsy.TipsySnap, filename="pynbody.tipsy")
    read = pynbody.load("pynbody.tipsy")
    write_table("pynbody-tipsy.csv", read["mass"], read["pos"], read["vel"])


SIDE, SCALE_FACTOR, MATTER, HUBBLE = 20000.0, 0.4, 0.3, 0.7
COUNTS = [[12, 5], [4, 11]]  # of types 1 and 2 in each file
UNITS = {"UnitLength_in_cm": 3.085678e21, "UnitMass_in_g": 1.989e43, "UnitVelocity_in_cm_per_s": 1e5}


def write_box():
    total = np.sum(COUNTS, axis=0)
    # The critical density: 27.7536627e-9 of these masses in a cubic kpc, all by h.
    mass = MATTER * 27.7536627e-9 * SIDE**3 / total.sum()
    for file, counts in enumerate(COUNTS):
        with h5py.File(f"box.{file}.hdf5", "w") as to:
            header = to.create_group("Header").attrs
            header["NumPart_ThisFile"] = np.array([0, *counts, 0, 0, 0], dtype=np.uint32)
            header["NumPart_Total"] = np.array([0, *total, 0, 0, 0], dtype=np.uint64)
            header["MassTable"] = np.array([0, mass, 0, 0, 0, 0])
            header["Time"] = SCALE_FACTOR
            header["Redshift"] = 1 / SCALE_FACTOR - 1
            header["BoxSize"] = SIDE
            header["NumFilesPerSnapshot"] = np.int32(len(COUNTS))
            parameters = to.create_group("Parameters").attrs
            parameters["ComovingIntegrationOn"] = np.int32(1)
            for name, value in {"Omega0": MATTER, "OmegaLambda": 0.7, "HubbleParam": HUBBLE, "BoxSize": SIDE, **UNITS}.items():
                parameters[name] = value
            for kind, count in enumerate(counts, 1):
                write_type(to.create_group(f"PartType{kind}"), count, 1000 * file + 100 * kind, mass if kind == 2 else None)


def write_type(group, count, start, mass):
    def add(name, values, a, h, length, weight, velocity):
        to_cgs = UNITS["UnitLength_in_cm"] ** length * UNITS["UnitMass_in_g"] ** weight * UNITS["UnitVelocity_in_cm_per_s"] ** velocity
        made = group.create_dataset(name, data=values, compression="gzip")
        scalings = {"a_scaling": a, "h_scaling": h, "length_scaling": length, "mass_scaling": weight, "velocity_scaling": velocity}
        for key, value in {**scalings, "to_cgs": to_cgs}.items():
            made.attrs[key] = float(value)

    places = (0.5 + 0.499 * numbers(3 * count, start)) * SIDE
    add("Coordinates", places.reshape(count, 3).astype(np.float32), 1, -1, 1, 0, 0)
    add("Velocities", (300 * numbers(3 * count, start + 50)).reshape(count, 3).astype(np.float32), 0.5, 0, 0, 0, 1)
    if mass:
        add("Masses", np.full(count, mass, dtype=np.float32), 0, -1, 0, 1, 0)
    group["ParticleIDs"] = np.arange(start, start + count, dtype=np.uint32)


def write_box_as_read():
    box = pynbody.load("box")
    box.physical_units(distance="kpc", velocity="km s**-1", mass="Msol")
    write_table("pynbody-box.csv", box["mass"], box["pos"], box["vel"])


write_tipsy()
write_box()
write_box_as_read()
