#!/usr/bin/env python3
"""Makes test images whose boundaries are known from formulas: pictures (PNG) and DICOM series.

usage: make_phantoms.py [--phantoms NAME ...] [--snr NUMBER ...] FOLDER
       make_phantoms.py --samples FOLDER

Pictures: disc, ellipse (pixels not square), star (r = r0 + a cos 5 phi), vessels (a tree), abdomen (like a CT slice).
Series: ct-abdomen, ct-abdomen-oblique (the same, turned; files not in the order of the slices), ct-vessel (an oblique
vessel, pixels not square), mr-ellipsoid (unsigned, no rescale). CT is signed with an intercept of -1024.
Each is made clean and with Gaussian noise at each SNR, which is the contrast of the first object to what surrounds it over
the noise's standard deviation.

FOLDER/NAME.json beside the images tells what is in them; pixel centres are at whole numbers, positions in the patient's
coordinates (of a picture: pixels times spacing):
  name, modality ("" for pictures), width, height, spacing_mm [x, y, slice], origin_mm, direction (three columns as lists)
  files: [{path (a series' folder), snr (null: clean), bits}]
  slices: [file name of each, in the order of k] (series)
  objects: [{name, value, surrounding_value, volume_mm3 (areas of its slices times the slice spacing),
             true_volume_mm3 (where a formula gives it),
             slices: [{index, boundary_px [[x, y] ...], boundary_mm [[x, y, z] ...], area_px, area_mm2, perimeter_mm,
                       seeds_px: pixels that a person would click, in order around it}]}]
The same call makes the same files, byte for byte, with the same versions of numpy, pydicom and PIL.
"""
import argparse
import json
import sys
import uuid
import zlib
from pathlib import Path

import numpy as np
import pydicom
from PIL import Image
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.uid import CTImageStorage, ExplicitVRLittleEndian, MRImageStorage

SUBSAMPLES = 6  # along each side of a pixel: its value is the mean over its area


# Shapes. Each has inside(x, y) for arrays in mm and boundary(count), points in mm.


class Polar:
    """A closed curve around a centre, its radius a function of the angle."""

    def __init__(self, centre, radius, seed_angles):
        self.centre, self.radius, self.seed_angles = np.asarray(centre, float), radius, np.asarray(seed_angles, float)

    def inside(self, x, y):
        dx, dy = x - self.centre[0], y - self.centre[1]
        return np.hypot(dx, dy) < self.radius(np.arctan2(dy, dx))

    def at(self, phi):
        return self.centre + self.radius(phi)[:, None] * np.stack([np.cos(phi), np.sin(phi)], 1)

    def boundary(self, count):
        return self.at(np.arange(count) * (2 * np.pi / count))

    def seeds(self):
        return self.at(self.seed_angles)


def quarters(turn=0.0, count=4):
    return turn + np.arange(count) * (2 * np.pi / count)


def disc(centre, radius):
    return Polar(centre, lambda phi: np.full_like(phi, radius), quarters(0.4))


def ellipse(centre, a, b, turn=0.0):
    def radius(phi):
        return a * b / np.hypot(b * np.cos(phi - turn), a * np.sin(phi - turn))
    return Polar(centre, radius, quarters(turn))


def star(centre, r0, amplitude, turn=0.0):
    return Polar(centre, lambda phi: r0 + amplitude * np.cos(5 * (phi - turn)), quarters(turn, 5))


class Tree:
    """Tapering branches, each (x0, y0, r0, x1, y1, r1), melted together where they meet: the level 0 of a function."""

    MELTING_MM = 1.0

    def __init__(self, branches, seeds):
        self.branches, self.seed_guesses = branches, np.asarray(seeds, float)

    def level(self, x, y):
        total = 0.0
        for x0, y0, r0, x1, y1, r1 in self.branches:
            dx, dy = x1 - x0, y1 - y0
            t = np.clip(((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy), 0, 1)
            distance = np.hypot(x - x0 - t * dx, y - y0 - t * dy) - (r0 + t * (r1 - r0))
            total = total + np.exp(np.clip(-distance / self.MELTING_MM, -700, 700))
        return -self.MELTING_MM * np.log(total)

    def inside(self, x, y):
        return self.level(x, y) < 0

    def gradient(self, points):
        h, (x, y) = 1e-5, points.T
        return np.stack([self.level(x + h, y) - self.level(x - h, y),
                         self.level(x, y + h) - self.level(x, y - h)], 1) / (2 * h)

    def onto_boundary(self, points, steps=6):
        for _ in range(steps):  # Newton
            gradient = self.gradient(points)
            points = points - gradient * (self.level(*points.T) / (gradient ** 2).sum(1))[:, None]
        return points

    def boundary(self, count):
        """Walks along the tangent and steps back onto the curve, then takes points at about equal distances."""
        step, walk = 0.5, self.onto_boundary(self.seed_guesses[:1], 20)
        while len(walk) < 20 or np.hypot(*(walk[-1] - walk[0])) > 0.75 * step:
            gradient = self.gradient(walk[-1:])
            tangent = np.stack([-gradient[:, 1], gradient[:, 0]], 1) / np.hypot(*gradient[0])
            walk = np.concatenate([walk, self.onto_boundary(walk[-1:] + step * tangent, 3)])
            if len(walk) > 10000:
                raise RuntimeError("the outline of the tree does not close")
        walk = np.concatenate([walk[:-1], walk[:1]])  # the last one may lie beyond the first
        along = np.concatenate([[0], np.cumsum(np.hypot(*np.diff(walk, axis=0).T))])
        wanted = np.arange(count) * (along[-1] / count)
        return self.onto_boundary(np.stack([np.interp(wanted, along, walk[:, axis]) for axis in (0, 1)], 1))

    def seeds(self):
        return self.onto_boundary(self.seed_guesses, 20)


# Scenes: what is painted over what. A layer is (name or None, shape, value); layers with a name are told in the JSON file,
# those of the first name first. Millimetres from the centre of the image.


def abdomen(z):
    """Layers of a slice at height z (mm from the middle of the stack), in Hounsfield units."""
    lobe = 1 + 0.18 * np.sin(z / 22.0)

    def liver_radius(phi):
        return lobe * (50 + 9 * np.cos(phi) + 5 * np.cos(2 * phi + 0.6) + 3 * np.cos(3 * phi + z / 30.0))
    return [("body", ellipse((0, 0), 165, 112), -100),
            (None, ellipse((0, 0), 153, 100), 40),
            (None, ellipse((92, 6), 30, 20, 1.1), -850),
            (None, disc((16, 28), 11), 170),
            ("vertebra", Polar((0, 58), lambda phi: 21 + 2 * np.cos(2 * phi), quarters()), 400),
            (None, disc((0, 89), 8), 15),
            ("liver", Polar((-66 + 0.12 * z, -10), liver_radius, quarters(0.3, 5)), 110)]


def oblique_vessel(z):
    centre = (0.75 * z, -0.35 * z)
    return [("vessel", star(centre, 13 + 2.5 * np.sin(z / 15.0), 1.6, 0.02 * z), 240)]


ELLIPSOID_MM = (40.0, 30.0, 22.0)


def ellipsoid(z):
    a, b, c = ELLIPSOID_MM
    if abs(z) >= c:
        return []
    scale = np.sqrt(1 - (z / c) ** 2)
    return [("ellipsoid", ellipse((3, -2), a * scale, b * scale, 0.5), 400)]


TREE = Tree(
    [(-2, 62, 11, 0, 15, 8), (0, 15, 8, -26, -22, 6), (0, 15, 8, 30, -14, 6),
     (-26, -22, 6, -52, -38, 4), (-26, -22, 6, -20, -60, 4), (30, -14, 6, 24, -56, 4), (30, -14, 6, 58, -28, 4)],
    [(-13, 62), (9, 62), (61, -30), (24, -60), (-20, -64), (-55, -40)])


def single(name, shape, value):
    return lambda z: [(name, shape, value)]


def turned():
    """Direction cosines of a gantry tilted and turned: the columns are unit vectors."""
    a, b = np.radians(20), np.radians(-15)
    about_x = np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])
    about_z = np.array([[np.cos(b), -np.sin(b), 0], [np.sin(b), np.cos(b), 0], [0, 0, 1]])
    return about_z @ about_x


class Phantom:
    def __init__(self, scene, background, size, spacing_mm, target, modality="", slices=1, direction=np.eye(3),
                 files_reversed=False, grey=(1.0, 0.0)):
        self.scene, self.background, self.size, self.target = scene, background, size, target
        self.spacing = np.asarray(spacing_mm, float)
        self.modality, self.slices, self.direction = modality, slices, direction
        self.files_reversed, self.grey = files_reversed, grey
        # The middle of the image, in pixels; off the grid, so that no boundary is symmetric to it.
        self.middle = np.array([(size[0] - 1) / 2 + 0.3, (size[1] - 1) / 2 - 0.2])
        self.origin = np.zeros(3) if not modality else direction @ (
            -self.spacing * np.array([*self.middle, (slices - 1) / 2])) + np.array([12.5, -180.25, 431.75])

    def z(self, k):
        return (k - (self.slices - 1) / 2) * self.spacing[2]

    def to_px(self, mm):
        return mm / self.spacing[:2] + self.middle

    def to_patient(self, px, k):
        return self.origin + (self.spacing * np.column_stack([px, np.full(len(px), k)])) @ self.direction.T


# A tuple `grey` (scale, offset) maps values to 8-bit grey; 16-bit pictures have 256 times as much.
PICTURE = dict(background=80, spacing_mm=(1, 1, 1))
CT = dict(modality="CT", background=-1000)
PHANTOMS = {
    "disc": Phantom(single("disc", disc((0, 0), 40), 180), size=(128, 128), target="disc", **PICTURE),
    "ellipse": Phantom(single("ellipse", ellipse((0, 0), 50, 28, 0.5), 180), background=80, spacing_mm=(0.8, 1.2, 1),
                       size=(192, 128), target="ellipse"),
    "star": Phantom(single("star", star((0, 0), 60, 12, 0.3), 180), size=(192, 192), target="star", **PICTURE),
    "vessels": Phantom(single("vessels", TREE, 180), size=(160, 160), target="vessels", **PICTURE),
    "abdomen": Phantom(abdomen, background=-1000, size=(256, 256), spacing_mm=(1.5, 1.5, 5), target="liver",
                       grey=(255 / 400, 102)),  # the window "soft tissue": -160 to 240 HU
    "ct-abdomen": Phantom(abdomen, size=(192, 192), spacing_mm=(2, 2, 5), slices=16, target="liver", **CT),
    "ct-abdomen-oblique": Phantom(abdomen, size=(192, 192), spacing_mm=(2, 2, 5), slices=12, target="liver",
                                  direction=turned(), files_reversed=True, **CT),
    "ct-vessel": Phantom(oblique_vessel, background=40, modality="CT", size=(128, 128), spacing_mm=(0.8, 0.6, 3),
                         slices=15, target="vessel"),
    "mr-ellipsoid": Phantom(ellipsoid, background=150, modality="MR", size=(128, 128), spacing_mm=(0.9, 0.9, 3),
                            slices=17, target="ellipsoid"),
}
SNRS = (5, 10, 20)


def coverage(phantom, shape):
    """Which part of each pixel lies inside. Only pixels whose centre has one of another kind around it are looked into."""
    x, y = ((np.arange(phantom.size[axis]) - phantom.middle[axis]) * phantom.spacing[axis] for axis in (0, 1))
    centres = shape.inside(*np.meshgrid(x, y))
    padded = np.pad(centres, 1, mode="edge")
    around = [padded[row:row + centres.shape[0], column:column + centres.shape[1]] for row in range(3) for column in range(3)]
    rows, columns = np.nonzero(np.any(around, axis=0) & ~np.all(around, axis=0))
    offsets = (np.arange(SUBSAMPLES) + 0.5) / SUBSAMPLES - 0.5
    dx, dy = (offsets.ravel() * phantom.spacing[axis] for axis, offsets in enumerate(np.meshgrid(offsets, offsets)))
    part = centres.astype(float)
    part[rows, columns] = shape.inside(x[columns, None] + dx, y[rows, None] + dy).mean(1)
    return part


def render(phantom):
    """The stack without noise, [slice, row, column], and the contrast of the target to what lies under it."""
    stack, contrast = np.full((phantom.slices, phantom.size[1], phantom.size[0]), float(phantom.background)), 0
    for k in range(phantom.slices):
        for name, shape, value in phantom.scene(phantom.z(k)):
            part = coverage(phantom, shape)
            if name == phantom.target:
                contrast = abs(value - surrounding(phantom, name))
            stack[k] += part * (value - stack[k])
    return stack, contrast


def surrounding(phantom, name):
    return {"liver": 40, "vertebra": 40}.get(name, phantom.background)


def measured(points):
    x, y = points.T
    following = np.roll(points, -1, 0)
    area = abs(np.sum(x * following[:, 1] - following[:, 0] * y)) / 2
    return area, np.sum(np.hypot(*(following - points).T))


def rounded(points, decimals=5):
    return np.round(np.asarray(points, float), decimals).tolist()


def slice_truth(phantom, shape, k):
    fine, coarse = shape.boundary(20000), phantom.to_px(shape.boundary(480))
    area, perimeter = measured(fine)
    return {"index": k, "boundary_px": rounded(coarse), "boundary_mm": rounded(phantom.to_patient(coarse, k)),
            "area_px": area / (phantom.spacing[0] * phantom.spacing[1]), "area_mm2": area, "perimeter_mm": perimeter,
            "seeds_px": np.rint(phantom.to_px(shape.seeds())).astype(int).tolist()}


def truth(phantom):
    objects = {}
    for k in range(phantom.slices):
        for name, shape, value in phantom.scene(phantom.z(k)):
            if name:
                entry = objects.setdefault(name, {"name": name, "value": value,
                                                  "surrounding_value": surrounding(phantom, name), "slices": []})
                entry["slices"].append(slice_truth(phantom, shape, k))
    for entry in objects.values():
        entry["volume_mm3"] = sum(each["area_mm2"] for each in entry["slices"]) * phantom.spacing[2]
        if entry["name"] == "ellipsoid":
            entry["true_volume_mm3"] = 4 / 3 * np.pi * np.prod(ELLIPSOID_MM)
    return sorted(objects.values(), key=lambda entry: entry["name"] != phantom.target)


def with_noise(stack, contrast, snr, name):
    if snr is None:
        return stack
    random = np.random.default_rng([zlib.crc32(name.encode()), round(1000 * snr)])
    return stack + random.normal(0, contrast / snr, stack.shape)


def write_picture(path, picture, grey, bits):
    scale, offset = grey
    largest = 2 ** bits - 1
    values = np.clip(np.rint((picture * scale + offset) * (256 if bits == 16 else 1)), 0, largest)
    Image.fromarray(values.astype(np.uint16 if bits == 16 else np.uint8)).save(path, optimize=True)


def uid(*names):
    return f"2.25.{uuid.uuid5(uuid.NAMESPACE_URL, '/'.join(('https://isolume.org/phantoms', *names))).int}"


def slice_header(phantom, name, folder, k):
    """All that the modules of PS3.3 A.3 (CT) and A.4 (MR) want, but for the pixels."""
    meta = FileMetaDataset()
    meta.MediaStorageSOPClassUID = CTImageStorage if phantom.modality == "CT" else MRImageStorage
    meta.MediaStorageSOPInstanceUID = uid(folder, str(k))
    meta.TransferSyntaxUID = ExplicitVRLittleEndian
    header = FileDataset(None, {}, file_meta=meta, preamble=b"\0" * 128)
    header.is_little_endian, header.is_implicit_VR = True, False
    number = phantom.slices - k if phantom.files_reversed else k + 1
    column = phantom.direction[:, 0].tolist() + phantom.direction[:, 1].tolist()
    position = phantom.origin + phantom.direction[:, 2] * phantom.spacing[2] * k
    for keyword, value in dict(
            SpecificCharacterSet="ISO_IR 192",
            SOPClassUID=meta.MediaStorageSOPClassUID, SOPInstanceUID=meta.MediaStorageSOPInstanceUID,
            StudyDate="20240229", SeriesDate="20240229", ContentDate="20240229", AcquisitionDate="20240229",
            StudyTime="101500", SeriesTime="101500", ContentTime="101500", AcquisitionTime="101500",
            AccessionNumber="", Modality=phantom.modality, Manufacturer="Isolume", ManufacturerModelName="phantom",
            ReferringPhysicianName="", StudyDescription="Phantoms", SeriesDescription=folder,
            PatientName="Phantom^Isolume", PatientID="ISOLUME-1", PatientBirthDate="", PatientSex="O",
            StudyInstanceUID=uid("study"), SeriesInstanceUID=uid(folder, "series"), StudyID="1",
            SeriesNumber=zlib.crc32(folder.encode()) % 1000, AcquisitionNumber="1", InstanceNumber=number,
            FrameOfReferenceUID=uid(name, "frame"), PositionReferenceIndicator="", PatientPosition="HFS", BodyPartExamined="ABDOMEN",
            ImagePositionPatient=[f"{v:.10g}" for v in position],
            ImageOrientationPatient=[f"{v:.12g}" for v in column],
            PixelSpacing=[f"{phantom.spacing[1]:g}", f"{phantom.spacing[0]:g}"],
            SliceThickness=f"{phantom.spacing[2]:g}",
            SamplesPerPixel=1, PhotometricInterpretation="MONOCHROME2", Rows=phantom.size[1], Columns=phantom.size[0],
            BitsAllocated=16, BitsStored=16, HighBit=15).items():
        setattr(header, keyword, value)
    return header


def add_modality(header, modality):
    """Type 1 and 2 attributes of the CT and MR image modules that are not of the picture itself."""
    if modality == "CT":
        values = dict(ImageType=["ORIGINAL", "PRIMARY", "AXIAL"], RescaleIntercept="-1024", RescaleSlope="1",
                      RescaleType="HU", KVP="120", PixelRepresentation=1, WindowCenter=["40", "-600"],
                      WindowWidth=["400", "1500"], WindowCenterWidthExplanation=["soft tissue", "lung"])
    else:
        values = dict(ImageType=["ORIGINAL", "PRIMARY", "M"], ScanningSequence="SE", SequenceVariant="NONE",
                      ScanOptions="", MRAcquisitionType="2D", EchoTime="15", EchoTrainLength="1", RepetitionTime="500",
                      PixelRepresentation=0, WindowCenter="275", WindowWidth="550")
    for keyword, value in values.items():
        setattr(header, keyword, value)


def write_series(phantom, name, folder, stack):
    folder.mkdir(parents=True, exist_ok=True)
    for k in range(phantom.slices):
        header = slice_header(phantom, name, folder.name, k)
        add_modality(header, phantom.modality)
        if phantom.modality == "CT":
            pixels = np.clip(np.rint(stack[k]) + 1024, -32768, 32767).astype("<i2")
        else:
            pixels = np.clip(np.rint(stack[k]), 0, 65535).astype("<u2")
        header.PixelData = pixels.tobytes()
        pydicom.dcmwrite(folder / slice_file(phantom, k), header, write_like_original=False)


def slice_file(phantom, k):
    return f"{(phantom.slices - k if phantom.files_reversed else k + 1):03d}.dcm"


def file_name(name, snr):
    return f"{name}-clean" if snr is None else f"{name}-snr{snr:g}"


def make(name, folder, snrs):
    phantom, files = PHANTOMS[name], []
    stack, contrast = render(phantom)
    for snr in (None, *snrs):
        noisy = with_noise(stack, contrast, snr, name)
        if phantom.modality:
            write_series(phantom, name, folder / file_name(name, snr), noisy)
            files.append({"path": file_name(name, snr), "snr": snr, "bits": 16})
            continue
        for bits in (8, 16):
            path = f"{file_name(name, snr)}-{bits}bit.png"
            write_picture(folder / path, noisy[0], phantom.grey, bits)
            files.append({"path": path, "snr": snr, "bits": bits})
    description = {
        "name": name, "modality": phantom.modality, "width": phantom.size[0], "height": phantom.size[1],
        "spacing_mm": phantom.spacing.tolist(), "origin_mm": phantom.origin.tolist(),
        "direction": phantom.direction.T.tolist(), "files": files, "objects": truth(phantom)}
    if phantom.modality:
        description["slices"] = [slice_file(phantom, k) for k in range(phantom.slices)]
    (folder / f"{name}.json").write_text(json.dumps(description) + "\n", encoding="utf-8")


def make_samples(folder):
    """What the program ships to try the lab with."""
    stack, contrast = render(PHANTOMS["ct-abdomen"])
    write_series(PHANTOMS["ct-abdomen"], "ct-abdomen", folder / "ct-abdomen", with_noise(stack, contrast, 10, "ct-abdomen"))
    stack, contrast = render(PHANTOMS["vessels"])
    write_picture(folder / "vessels.png", with_noise(stack, contrast, 10, "vessels")[0], PHANTOMS["vessels"].grey, 8)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     usage=argparse.SUPPRESS)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--phantoms", nargs="+", default=list(PHANTOMS), choices=list(PHANTOMS), metavar="NAME")
    parser.add_argument("--snr", nargs="+", type=float, default=SNRS, metavar="NUMBER")
    parser.add_argument("--samples", action="store_true")
    options = parser.parse_args()
    if any(snr <= 0 for snr in options.snr):
        sys.exit("make_phantoms.py: an SNR is a number above 0")
    options.folder.mkdir(parents=True, exist_ok=True)
    if options.samples:
        make_samples(options.folder)
        return
    for name in options.phantoms:
        make(name, options.folder, options.snr)


if __name__ == "__main__":
    main()
