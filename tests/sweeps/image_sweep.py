"""Reads all images of folders with Isolume and with pydicom, nibabel, pynrrd or SimpleITK, and compares.

usage: image_sweep.py IMAGE_SUMMARY FOLDER...

IMAGE_SUMMARY is the program of that name in the build folder's bin (cmake --build ... --target image_summary). What is
compared: how many slices there are and how many are named as left out, sizes, voxel values (their sum, and a sum that
depends on their order), spacing and places. Prints a line for every file that differs or that only one of both reads,
and a summary; exits with 1 where something differs.
"""
import collections
import json
import subprocess
import sys
import warnings
from pathlib import Path

import numpy

warnings.simplefilter("ignore")


def sums(values):
    """As image_summary.cpp; the first axis runs fastest."""
    flat = numpy.asarray(values, dtype=float).ravel(order="F")
    finite = numpy.isfinite(flat)
    weights = numpy.arange(flat.size) % 1009
    return {"sum": flat[finite].sum(), "weighted": (flat[finite] * weights[finite]).sum()}


def grey(rgb):
    return 0.3 * rgb[..., 0] + 0.59 * rgb[..., 1] + 0.11 * rgb[..., 2]


def by_nibabel(path):
    import nibabel
    image = nibabel.load(path)
    data = numpy.asanyarray(image.dataobj)
    if data.dtype.fields:
        data = grey(numpy.stack([data[name].astype(float) for name in ("R", "G", "B")], -1))
    data = data.real if numpy.iscomplexobj(data) else data
    while data.ndim > 3:
        data = data[..., 0]
    while data.ndim < 3:
        data = data[..., None]
    to_lps = numpy.diag([-1, -1, 1, 1]) @ image.affine
    return {"size": list(data.shape), "origin_mm": to_lps[:3, 3],
            "steps": to_lps[:3, :3], "values": data}


def by_simpleitk(path):
    import SimpleITK
    image = SimpleITK.ReadImage(str(path))
    data = SimpleITK.GetArrayFromImage(image)
    if image.GetNumberOfComponentsPerPixel() > 1:
        data = grey(data.astype(float)) if image.GetNumberOfComponentsPerPixel() in (3, 4) else data[..., 0]
    dimension = image.GetDimension()
    data = data.T
    while data.ndim > 3:
        data = data[..., 0]
    while data.ndim < 3:
        data = data[..., None]
    steps, origin = numpy.eye(3), numpy.zeros(3)
    shown = min(dimension, 3)
    direction = numpy.array(image.GetDirection()).reshape(dimension, dimension)
    steps[:shown, :shown] = (direction * image.GetSpacing())[:shown, :shown]
    origin[:shown] = image.GetOrigin()[:shown]
    return {"size": list(data.shape), "origin_mm": origin, "steps": steps, "values": data}


def by_pydicom(path):
    import pydicom
    from pydicom.pixel_data_handlers.util import apply_modality_lut, apply_color_lut, convert_color_space
    ds = pydicom.dcmread(path, force=True)
    data = ds.pixel_array.astype(float) if "RescaleSlope" not in ds else apply_modality_lut(ds.pixel_array, ds)
    data = data * float(ds.get("DoseGridScaling") or 1)
    if ds.SamplesPerPixel == 3:
        rgb = ds.pixel_array
        if ds.PhotometricInterpretation.startswith("YBR_FULL") and not ds.file_meta.TransferSyntaxUID.is_compressed:
            rgb = convert_color_space(rgb, ds.PhotometricInterpretation, "RGB")
        data = grey(rgb.astype(float))
    elif ds.PhotometricInterpretation == "PALETTE COLOR":
        rgb = apply_color_lut(ds.pixel_array, ds)
        data = grey(rgb.astype(float) / (257 if rgb.dtype == numpy.uint16 else 1))
    if data.ndim == 2:
        data = data[None]
    result = {"size": [data.shape[2], data.shape[1], data.shape[0]], "values": numpy.moveaxis(data, 0, -1).swapaxes(0, 1)}
    if data.shape[0] == 1 and "ImagePositionPatient" in ds and "ImageOrientationPatient" in ds and "PixelSpacing" in ds:
        axes = numpy.array([float(n) for n in ds.ImageOrientationPatient]).reshape(2, 3)
        steps = numpy.full((3, 3), numpy.nan)
        steps[:, 0], steps[:, 1] = axes[0] * float(ds.PixelSpacing[1]), axes[1] * float(ds.PixelSpacing[0])
        result.update(origin_mm=numpy.array([float(n) for n in ds.ImagePositionPatient]), steps=steps)
    return result


def reader_of(path):
    name = path.name.lower()
    if name.endswith((".nii", ".nii.gz", ".hdr")):
        return by_nibabel
    if name.endswith((".nrrd", ".nhdr", ".mha", ".mhd")):
        return by_simpleitk
    with open(path, "rb") as file:
        begin = file.read(132)
    is_dicom = begin[128:] == b"DICM" or name.endswith((".dcm", ".dicom", ".ima"))
    return by_pydicom if is_dicom else None


def differences(found, expected):
    """Words for all that differs; nothing about what the other reader does not tell."""
    words = []
    if found["size"] != expected["size"]:
        left_out = sum(r.get("count", 0) for r in found["remarks"] if r["kind"] == "dropped")
        volumes = max(len(found["time_points"]), 1)
        there = found["size"][2] * volumes + (left_out if volumes == 1 else 0)
        if found["size"][:2] != expected["size"][:2] or there != expected["size"][2]:
            words.append(f"size {found['size']} and {expected['size']}, {left_out} named as left out")
        return words
    values = sums(expected["values"])
    scale = max(abs(values["sum"]), numpy.abs(expected["values"]).astype(float).sum(), 1e-30)
    if abs(found["sum"] - values["sum"]) > 1e-5 * scale:
        words.append(f"sum {found['sum']:.9g} and {values['sum']:.9g}")
    elif abs(found["weighted"] - values["weighted"]) > 1e-4 * 1009 * scale:
        words.append(f"order of voxels: {found['weighted']:.9g} and {values['weighted']:.9g}")
    if "steps" in expected and found["has_sides"]:
        steps = numpy.array(found["direction_columns"]).reshape(3, 3).T * found["spacing_mm"]
        known = numpy.isfinite(expected["steps"]).all(axis=0) & (numpy.array(found["size"]) > 1)
        if not numpy.allclose(steps[:, known], expected["steps"][:, known], rtol=1e-3, atol=1e-4):
            words.append(f"steps {steps.tolist()} and {expected['steps'].tolist()}")
        if not numpy.allclose(found["origin_mm"], expected["origin_mm"], rtol=1e-4, atol=1e-3):
            words.append(f"origin {found['origin_mm']} and {list(expected['origin_mm'])}")
    return words


def main(program, folders):
    files = sorted(path for folder in folders for path in Path(folder).rglob("*") if path.is_file())
    files = [path for path in files if reader_of(path)]
    tally = collections.Counter()
    for path in files:
        try:
            lines = subprocess.run([program, str(path)], capture_output=True, text=True, timeout=120).stdout
            found = json.loads(lines)["images"][0]
        except Exception as error:  # of whatever kind: it is reported
            found = {"error": f"ended badly: {error}"}
        try:
            expected = reader_of(path)(path)
        except Exception as error:  # of whatever kind: libraries throw all of them
            expected = {"error": str(error) or type(error).__name__}
        if "error" in found and "error" in expected:
            tally["refused by both"] += 1
        elif "error" in found:
            tally["refused by Isolume alone"] += 1
            print(f"{path}: refused: {found['error']}")
        elif "error" in expected:
            tally["read by Isolume alone"] += 1
            print(f"{path}: read by Isolume alone ({expected['error'][:80]})")
        elif words := differences(found, expected):
            tally["different"] += 1
            print(f"{path}: {'; '.join(words)}; remarks: {[r['text'] for r in found['remarks']]}")
        else:
            tally["same"] += 1
    print(dict(tally))
    return 1 if tally["different"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
