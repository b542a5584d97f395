"""Checks what the tour of resources/manual/tour-contours.md wrote, with pydicom and the formulas that the sample was drawn with.

usage: check_tour.py SAMPLE_FOLDER FOLDER
"""
import csv
import sys
from pathlib import Path

import numpy
import pydicom

sample, folder = Path(sys.argv[1]), Path(sys.argv[2])


def require(condition, *what):
    if not condition:
        sys.exit(" ".join(str(each) for each in what))


def near(found, expected, *what):
    require(abs(found - expected) <= 0.01 * expected, *what, "is", found, "and not", expected)


def shoelace(polygon):
    x, y = polygon.T
    return abs(numpy.dot(x, numpy.roll(y, -1)) - numpy.dot(y, numpy.roll(x, -1))) / 2


def inside(polygon, points):
    """By the crossings of a ray to the right (even-odd)."""
    count = numpy.zeros(len(points), int)
    for (x0, y0), (x1, y1) in zip(polygon, numpy.roll(polygon, -1, 0)):
        if y0 == y1:
            continue
        across = (points[:, 1] >= min(y0, y1)) & (points[:, 1] < max(y0, y1))
        count += across & (points[:, 0] < x0 + (points[:, 1] - y0) * (x1 - x0) / (y1 - y0))
    return count % 2 == 1


def liver_mm2(z):
    """As in tests/phantoms/make_phantoms.py: half the integral of the squared radius."""
    phi = numpy.arange(7200) * numpy.pi / 3600
    radius = (1 + 0.18 * numpy.sin(z / 22)) * (50 + 9 * numpy.cos(phi) + 5 * numpy.cos(2 * phi + 0.6) +
                                               3 * numpy.cos(3 * phi + z / 30))
    return 0.5 * (radius ** 2).sum() * numpy.pi / 3600


images = [pydicom.dcmread(each, stop_before_pixels=True) for each in sample.glob("*.dcm")]
heights = sorted(float(each.ImagePositionPatient[2]) for each in images)
spacing_mm = heights[1] - heights[0]
structures = pydicom.dcmread(folder / "tour-contours.dcm")
names = {roi.ROINumber: roi.ROIName for roi in structures.StructureSetROISequence}
require(sorted(names.values()) == ["Liver", "Target"], "The regions are", names)

polygons = {}  # by name and slice
for roi in structures.ROIContourSequence:
    for contour in roi.ContourSequence:
        require(contour.ContourGeometricType == "CLOSED_PLANAR", contour.ContourGeometricType)
        points = numpy.array(contour.ContourData, float).reshape(-1, 3)
        require(numpy.ptp(points[:, 2]) < 1e-6, "A contour is not axial")
        at = int(numpy.argmin(numpy.abs(numpy.array(heights) - points[0, 2])))
        require(abs(heights[at] - points[0, 2]) < 1e-3, "A contour lies between slices")
        key = names[roi.ReferencedROINumber], at
        require(key not in polygons, "There are two contours of", key)
        polygons[key] = points[:, :2]
require(sorted(polygons) == [("Liver", k) for k in range(5, 11)] + [("Target", k) for k in (6, 7, 8)],
        "The contours are", sorted(polygons))

rows = list(csv.DictReader(open(folder / "tour-contours.measures.csv")))
areas = {(row["label"], int(row["slice"]) - 1): float(row["area_mm2"]) for row in rows if row["area_mm2"]}
volumes = {row["label"]: 1000 * float(row["volume_ml"]) for row in rows if row["volume_ml"]}
for (name, at), polygon in polygons.items():
    expected = liver_mm2((at - (len(heights) - 1) / 2) * spacing_mm) if name == "Liver" else numpy.pi * 15 ** 2
    near(shoelace(polygon), expected, "The area of", name, "on slice", at)
    near(areas[name, at], shoelace(polygon), "The measured area of", name, "on slice", at)
for name in ("Liver", "Target"):
    total = sum(shoelace(polygon) for (of, _), polygon in polygons.items() if of == name)
    near(volumes[name], total * spacing_mm, "The volume of", name)

# A part of the target lies in the liver, and counts in both.
for at in (6, 7, 8):
    target, liver = polygons["Target", at], polygons["Liver", at]
    low, high = target.min(0), target.max(0)
    grid = numpy.stack(numpy.meshgrid(*(numpy.linspace(low[axis], high[axis], 60) for axis in (0, 1))), -1).reshape(-1, 2)
    grid = grid[inside(target, grid)]
    share = inside(liver, grid).mean()
    require(0.2 < share < 0.8, "The share of the target in the liver is", share)
