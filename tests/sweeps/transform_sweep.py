"""Applies and measures transforms and label maps with isolume-batch and with SimpleITK, and compares.

usage: transform_sweep.py ISOLUME_BATCH IMAGE LABELS

IMAGE and LABELS are any image and label map that ITK reads, such as ch2.nii.gz and aal.nii.gz of Debian's
mricron-data. What is compared: images and label maps moved by linear maps, displacement fields and composites in
each of their formats; fields and inverses that isolume-batch writes; volumes, centroids, overlaps and surface
distances of labels. Prints a line for each comparison, and exits with 1 where one exceeds its limit. Both programs
round positions on the border of an image in their own way: up to 1 of 10 000 voxels may differ.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy
import SimpleITK as sitk


class Sweep:
    def __init__(self, program, folder):
        self.program, self.folder, self.failed = program, Path(folder), False

    def file(self, name):
        return str(self.folder / name)

    def run(self, *words):
        done = subprocess.run([self.program, "anatomy", *words], capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"isolume-batch anatomy {' '.join(words)}: {done.stderr}")
        return done.stdout

    def check(self, name, found, limit):
        self.failed |= not found <= limit
        print(f"{'ok  ' if found <= limit else 'FAIL'} {name}: {found:.3g}, limit {limit:.3g}")

    def check_images(self, name, found, expected):
        a, b = sitk.GetArrayFromImage(found).astype(float), sitk.GetArrayFromImage(expected).astype(float)
        self.check(name, (abs(a - b) > 1e-3 * abs(b).max()).mean(), 1e-4)


def resampled(image, transform, interpolator=sitk.sitkLinear):
    least = float(sitk.GetArrayFromImage(image).min())
    return sitk.Resample(image, image, transform, interpolator, least)


def affine(centre):
    transform = sitk.AffineTransform(3)
    transform.SetMatrix([1.05, 0.05, 0, -0.04, 0.95, 0.06, 0.02, 0, 1.01])
    transform.SetTranslation([3, -2, 5])
    transform.SetCenter(centre)
    return transform


def waves(image):
    """A coarse field that covers the image, on a grid turned against it."""
    size = [30, 36, 30]
    z, y, x = numpy.mgrid[0:size[2], 0:size[1], 0:size[0]]
    components = [4 * numpy.sin(0.2 * y + 0.1 * z), 3 * numpy.cos(0.2 * x), 3 * numpy.sin(0.15 * x + 0.2 * y)]
    numbers = numpy.stack(components, -1)
    field = sitk.GetImageFromArray(numpy.ascontiguousarray(numbers), isVector=True)
    extent = [(n - 1) * s for n, s in zip(image.GetSize(), image.GetSpacing())]
    field.SetSpacing([e / (n - 1) for e, n in zip(extent, size)])
    turn = numpy.array([[numpy.cos(0.1), -numpy.sin(0.1), 0], [numpy.sin(0.1), numpy.cos(0.1), 0], [0, 0, 1]])
    direction = turn @ numpy.array(image.GetDirection()).reshape(3, 3)
    field.SetDirection(direction.ravel().tolist())
    centre = image.TransformContinuousIndexToPhysicalPoint([(n - 1) / 2 for n in image.GetSize()])
    field.SetOrigin((numpy.array(centre) - direction @ numpy.array(extent) / 2).tolist())
    return sitk.Cast(field, sitk.sitkVectorFloat64)


def compare_images(sweep, image):
    sitk.WriteImage(image, sweep.file("image.nii"))
    centre = image.TransformContinuousIndexToPhysicalPoint([(n - 1) / 2 for n in image.GetSize()])
    linear, field = affine(centre), waves(image)
    both = sitk.CompositeTransform([linear, sitk.DisplacementFieldTransform(sitk.Image(field))])
    for name in ("linear.tfm", "linear.txt", "linear.mat", "linear.h5"):
        sitk.WriteTransform(linear, sweep.file(name))
    for name in ("both.tfm", "both.h5"):
        sitk.WriteTransform(both, sweep.file(name))
    for name in ("field.nii.gz", "field.mha", "field.nrrd"):
        sitk.WriteImage(field, sweep.file(name))
    for words, transform in [(["linear.tfm"], linear), (["linear.txt"], linear), (["linear.mat"], linear),
                             (["linear.h5"], linear), (["field.nii.gz", "linear.mat"], both),
                             (["field.mha", "linear.h5"], both), (["field.nrrd", "linear.tfm"], both),
                             (["both.tfm"], both), (["both.h5"], both)]:
        sweep.run("warp", sweep.file("image.nii"), *map(sweep.file, words), "-o", sweep.file("warped.nii"), "--like",
                  sweep.file("image.nii"))
        sweep.check_images(f"share of voxels that differ, by {' '.join(words)}",
                           sitk.ReadImage(sweep.file("warped.nii")), resampled(image, transform))
    for name in ("all.nii.gz", "all.mha", "all.nrrd"):
        sweep.run("compose", sweep.file("both.h5"), "-o", sweep.file(name), "--like", sweep.file("image.nii"))
        written = sitk.DisplacementFieldTransform(sitk.Cast(sitk.ReadImage(sweep.file(name)), sitk.sitkVectorFloat64))
        sweep.check_images(f"share of voxels that differ, by {name} of compose", resampled(image, written),
                           resampled(image, both))
    for name in ("back.tfm", "back.mat", "back.h5"):
        sweep.run("invert", sweep.file("linear.tfm"), "-o", sweep.file(name))
        back, point = sitk.ReadTransform(sweep.file(name)), numpy.array([10.0, 20.0, 30.0])
        sweep.check(f"mm that are left of {name} of invert",
                    abs(numpy.array(back.TransformPoint(linear.TransformPoint(point.tolist()))) - point).max(), 1e-10)
    return both


def surface_distances(one, other):
    """Mean, 95th percentile and largest one, by distance maps of the voxels on the surfaces."""
    contours = [sitk.LabelContour(each, False) for each in (one, other)]
    ways = []
    for here, there in (contours, contours[::-1]):
        distances = sitk.SignedMaurerDistanceMap(there, squaredDistance=False, useImageSpacing=True)
        ways.append(abs(sitk.GetArrayFromImage(distances)[sitk.GetArrayFromImage(here) > 0]))
    return {"mean": numpy.concatenate(ways).mean(), "percentile_95": max(numpy.percentile(each, 95) for each in ways),
            "largest": max(each.max() for each in ways)}


def compare_labels(sweep, labels, transform):
    sitk.WriteImage(labels, sweep.file("labels.nii.gz"))
    sitk.WriteTransform(transform, sweep.file("transform.h5"))
    sweep.run("warp", sweep.file("labels.nii.gz"), sweep.file("transform.h5"), "-o", sweep.file("moved.nii.gz"),
              "--like", sweep.file("labels.nii.gz"), "--labels")
    moved = sitk.ReadImage(sweep.file("moved.nii.gz"))
    # The greatest weight is another label than the nearest voxel's at boundaries alone.
    nearest = sitk.GetArrayFromImage(resampled(labels, transform, sitk.sitkNearestNeighbor))
    sweep.check("share of voxels with another label than the nearest",
                (sitk.GetArrayFromImage(moved) != nearest).mean(), 0.02)
    rows = json.loads(sweep.run("labels", sweep.file("labels.nii.gz"), sweep.file("moved.nii.gz"), "--distances",
                                "--json"))["labels"]
    shapes, overlaps = sitk.LabelShapeStatisticsImageFilter(), sitk.LabelOverlapMeasuresImageFilter()
    shapes.Execute(labels)
    overlaps.Execute(labels, moved)
    rows = [row for row in rows if "voxels" in row and "other" in row]
    worst = {}
    for row in rows:
        label = row["label"]
        apart = {"volume in ml": row["millilitres"] - shapes.GetPhysicalSize(label) / 1000,
                 "centroid in mm": numpy.array(row["centroid_mm"]) - shapes.GetCentroid(label),
                 "Dice": row["dice"] - overlaps.GetDiceCoefficient(label),
                 "Jaccard": row["jaccard"] - overlaps.GetJaccardCoefficient(label)}
        if label in [each["label"] for each in rows[:: max(1, len(rows) // 5)]]:
            for key, expected in surface_distances(labels == label, moved == label).items():
                apart[f"surface distance in mm, {key}"] = row["surface_distance_mm"][key] - expected
        for key, difference in apart.items():
            worst[key] = max(worst.get(key, 0), numpy.abs(difference).max())
    for key, difference in worst.items():
        sweep.check(f"{key}, of {len(rows)} labels", difference, 1e-5)


def main(program, image, labels):
    with tempfile.TemporaryDirectory() as folder:
        sweep = Sweep(program, folder)
        transform = compare_images(sweep, sitk.ReadImage(image, sitk.sitkFloat32))
        compare_labels(sweep, sitk.ReadImage(labels), transform)
        return 1 if sweep.failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
