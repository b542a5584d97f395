#!/usr/bin/env python3
"""How well the wires of Isolume, OpenCV and scikit-image meet outlines that are known, from the same seeds.

    livewire_accuracy.py BUILD/bin/isolume-batch [--tools isolume,opencv,scikit-image] [--sets coins,cell,crater,...]
                         [--seeds 3,4,6] [--snap 0,5] [--flags "--length-weight 0"] [--markdown FILE]

Objects and what is held for true:
- coins: the 24 of skimage.data.coins(), by scikit-image's own recipe: watershed of the Sobel magnitude from the markers
  below 30 and above 150, holes filled, opened by a disc of 3 pixels; each on the whole picture.
- cell: skimage.data.cell(), above Otsu's threshold, the largest component, holes filled.
- crater: the large one of skimage.data.moon(), an ellipse put on its rim by eye; its upper and lower rim are faint.
- disc, ellipse, star, finger: drawn with 8 x 8 samples a pixel, with noise of a tenth of their contrast. The finger is
  9 pixels wide: its two sides are edges side by side.
- faint: discs whose edge has 12 % of its contrast over a sixth of the way round, noise 3 % of the contrast.
- horn: discs with a horn of 35 pixels around which the outside is nearly as bright, so that the horn's edge has 15 % of
  the disc's contrast; noise as before.
- neighbour: discs beside a bar of three times their contrast, 6 pixels off.
Drawn objects stand in five turns; coins and cell are what they are.

Seeds lie on the outline at equal lengths, the first at angles that differ from object to object. "Exact" ones are rounded
to pixels, "noisy" ones moved by a normal distribution of 2 pixels each way (snapping is meant for these). Isolume is
isolume-batch with its defaults, and --snap; for the others, seeds are moved to the largest Sobel magnitude within the
radius. OpenCV is IntelligentScissorsMB as in its sample (Canny 32, 100; gradient limit 200), scikit-image
route_through_array on 1 - |Sobel| / maximum + 0.01, geometric; their outlines become masks of the pixels whose centre lies
inside, Isolume's is the mask that it writes.

Prints the mean and least Dice coefficient and the failures (below 0.8 or no contour).
Needs numpy, scipy, scikit-image (its package has the pictures) and, for OpenCV, opencv-contrib-python-headless.
"""
import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import zlib

import numpy
from scipy import ndimage
from skimage import data, draw, filters, graph, io, measure, morphology, segmentation

FAILED_BELOW = 0.8
NOISE_PX = 2.0


def largest(mask):
    labels, _ = ndimage.label(mask)
    return labels == 1 + numpy.argmax(numpy.bincount(labels.ravel())[1:])


def coins():
    image = data.coins()
    markers = numpy.zeros(image.shape, int)
    markers[image < 30], markers[image > 150] = 1, 2
    filled = ndimage.binary_fill_holes(segmentation.watershed(filters.sobel(image), markers) == 2)
    labels, count = ndimage.label(ndimage.binary_opening(filled, morphology.disk(3)))
    return [(image, labels == k) for k in range(1, count + 1) if (labels == k).sum() > 500]


def cell():
    image = data.cell()
    return [(image, ndimage.binary_fill_holes(largest(image > filters.threshold_otsu(image))))]


def crater():
    image = data.moon()
    y, x = numpy.mgrid[: image.shape[0], : image.shape[1]]
    return [(image, numpy.hypot((x - 121) / 25.5, (y - 87.5) / 25.5) < 1)]


def sampled(inside, side):
    """The part of each pixel that lies inside, and the mask of centres."""
    at = (numpy.arange(side * 8) + 0.5) / 8 - 0.5
    part = inside(*numpy.meshgrid(at, at)).reshape(side, 8, side, 8).mean(axis=(1, 3))
    y, x = numpy.mgrid[:side, :side]
    return part, inside(x, y)


def drawn(name, turn):
    side, centre = 200, 100.3
    random = numpy.random.default_rng(zlib.crc32(f"{name} {turn}".encode()))
    angle = 2 * math.pi * (turn / 5 + 0.07)

    def polar(x, y):
        return numpy.hypot(x - centre, y - centre), numpy.arctan2(y - centre, x - centre) - angle

    def turned(x, y):
        return ((x - centre) * math.cos(angle) + (y - centre) * math.sin(angle),
                (y - centre) * math.cos(angle) - (x - centre) * math.sin(angle))

    def star(x, y):
        radius, phi = polar(x, y)
        return radius < 50 * (1 + 0.2 * numpy.cos(5 * phi))

    def ellipse(x, y):
        u, v = turned(x, y)
        return numpy.hypot(u / 65, v / 30) < 1

    def finger(x, y):
        u, v = turned(x, y)
        return numpy.hypot(numpy.maximum(0, numpy.abs(u) - 50), v) < 4.5

    def disc(x, y):
        return polar(x, y)[0] < 45

    def horn(x, y):
        u, v = turned(x, y)
        return disc(x, y) | ((u > 0) & (u < 80) & (numpy.abs(v) < 12 * numpy.sqrt(numpy.clip((80 - u) / 40, 0, 1))))

    shape = {"star": star, "ellipse": ellipse, "finger": finger, "horn": horn}.get(name, disc)
    part, mask = sampled(shape, side)
    noise = {"faint": 0.03, "horn": 0.03}.get(name, 0.1)
    y, x = numpy.mgrid[:side, :side]
    contrast = numpy.ones_like(part)
    if name == "faint":  # the inside fades into the outside there
        _, phi = polar(x, y)
        away = numpy.abs((phi + math.pi) % (2 * math.pi) - math.pi)
        contrast = 0.12 + 0.88 * numpy.clip((away - math.pi / 6) / 0.3, 0, 1)
    image = part * contrast
    if name == "horn":
        u, v = turned(x, y)
        near = numpy.clip((u - 42) / 10, 0, 1) * numpy.clip(2 - numpy.hypot(u - 62, v) / 25, 0, 1)
        image = image + (1 - part) * 0.85 * near
    if name == "neighbour":
        image[numpy.abs(turned(x, y)[0] - 59) < 8] = 3
    image = image + random.normal(0, noise, image.shape)
    low, high = image.min(), image.max()
    return numpy.rint((image - low) / (high - low) * 60000).astype(numpy.uint16), mask


SETS = {"coins": coins, "cell": cell, "crater": crater}
for shape in ("disc", "ellipse", "star", "finger", "faint", "horn", "neighbour"):
    SETS[shape] = lambda shape=shape: [drawn(shape, turn) for turn in range(5)]


def seeds_on(mask, count, number, noise):
    outline = max(measure.find_contours(numpy.pad(mask, 1).astype(float), 0.5), key=len)[:-1] - 1
    middle = outline.mean(axis=0)
    angles = numpy.arctan2(outline[:, 0] - middle[0], outline[:, 1] - middle[1])
    first = numpy.argmin(numpy.abs(numpy.exp(1j * angles) - numpy.exp(2.4j * number)))
    outline = numpy.roll(outline, -first, axis=0)
    lengths = numpy.concatenate([[0], numpy.cumsum(numpy.hypot(*numpy.diff(outline, axis=0).T))])
    at = [numpy.searchsorted(lengths, lengths[-1] * k / count) for k in range(count)]
    points = outline[at][:, ::-1]
    if noise:
        points = points + numpy.random.default_rng(1000 * number + count).normal(0, NOISE_PX, points.shape)
    limit = numpy.array(mask.shape[::-1]) - 1
    return [tuple(int(v) for v in numpy.clip(numpy.rint(point), 0, limit)) for point in points]


def snapped(image, seeds, radius):
    if not radius:
        return seeds
    strength = filters.sobel(image.astype(float))
    y, x = numpy.mgrid[: image.shape[0], : image.shape[1]]
    found = []
    for seed in seeds:
        near = numpy.where(numpy.hypot(x - seed[0], y - seed[1]) <= radius, strength, -1)
        row, column = numpy.unravel_index(numpy.argmax(near), near.shape)
        found.append((int(column), int(row)))
    return found


def mask_of(points, shape):
    return draw.polygon2mask(shape, numpy.array([(y, x) for x, y in points]))


class Isolume:
    def __init__(self, program, flags):
        self.program, self.flags = program, flags

    def mask(self, image, seeds, snap):
        with tempfile.TemporaryDirectory() as folder:
            picture, written = pathlib.Path(folder) / "image.png", pathlib.Path(folder) / "mask.nrrd"
            io.imsave(picture, image, check_contrast=False)
            text = ";".join(f"{x},{y}" for x, y in seeds)
            command = [self.program, "livewire", picture, "--seeds", text, "--close", "--snap", str(snap), *self.flags]
            done = subprocess.run([*map(str, command), "--json", "-o", str(written)], capture_output=True, text=True)
            if done.returncode != 0:
                return None
            self.warned = json.loads(done.stdout).get("warnings", [])
            header, _, body = written.read_bytes().partition(b"\n\n")
            fields = dict(line.split(": ", 1) for line in header.decode().splitlines() if ": " in line)
            body = zlib.decompress(body, 47) if fields["encoding"].startswith("gz") else body
            kind = {"unsigned char": "u1", "uint8": "u1", "uint8_t": "u1"}.get(fields["type"], "<u2")
            return numpy.frombuffer(body, kind).reshape(image.shape) > 0


class OpenCV:
    def mask(self, image, seeds, snap):
        import cv2

        eight_bit = image if image.dtype == numpy.uint8 else (image / 256).astype(numpy.uint8)
        tool = cv2.segmentation_IntelligentScissorsMB()
        tool.setEdgeFeatureCannyParameters(32, 100)
        tool.setGradientMagnitudeMaxLimit(200)
        tool.applyImage(numpy.ascontiguousarray(eight_bit))
        seeds, points = snapped(image, seeds, snap), []
        for seed, following in zip(seeds, seeds[1:] + seeds[:1]):
            tool.buildMap(seed)
            points += [tuple(p) for p in tool.getContour(following).reshape(-1, 2)]
        return mask_of(points, image.shape)


class ScikitImage:
    def mask(self, image, seeds, snap):
        strength = filters.sobel(image.astype(float))
        costs = 1.01 - strength / strength.max()
        seeds, points = snapped(image, seeds, snap), []
        for seed, following in zip(seeds, seeds[1:] + seeds[:1]):
            path, _ = graph.route_through_array(costs, seed[::-1], following[::-1])
            points += [(x, y) for y, x in path]
        return mask_of(points, image.shape)


def dice(one, other):
    return 0.0 if one is None else 2 * numpy.logical_and(one, other).sum() / (one.sum() + other.sum())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="isolume-batch")
    parser.add_argument("--tools", default="isolume,opencv,scikit-image")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--seeds", default="3,4,6")
    parser.add_argument("--snap", default="0,5")
    parser.add_argument("--kinds", default="exact,noisy")
    parser.add_argument("--flags", default="", help="more for isolume-batch livewire")
    parser.add_argument("--markdown", type=pathlib.Path, help="where the table is written as well")
    parser.add_argument("--verbose", action="store_true", help="every object below 0.9")
    arguments = parser.parse_args()
    known = {"isolume": lambda: Isolume(arguments.program, arguments.flags.split()), "opencv": OpenCV,
             "scikit-image": ScikitImage}
    tools = {name: known[name]() for name in arguments.tools.split(",")}
    lines = ["| set | seeds | snap | " + " | ".join(tools) + " |", "|---|---|---|" + "---|" * len(tools)]
    print("\n".join(lines), flush=True)
    for name in arguments.sets.split(","):
        objects = SETS[name]()
        for kind in arguments.kinds.split(","):
            for count in map(int, arguments.seeds.split(",")):
                for snap in map(int, arguments.snap.split(",")):
                    row = f"| {name} ({len(objects)}) | {count} {kind} | {snap} |"
                    for tool, each in tools.items():
                        found = []
                        for number, (image, mask) in enumerate(objects):
                            seeds = seeds_on(mask, count, number, kind == "noisy")
                            found.append(dice(each.mask(image, seeds, snap), mask))
                            if arguments.verbose and found[-1] < 0.9:
                                print(f"{tool} {name} {number} {count} {kind} {snap}: {found[-1]:.3f} {seeds}",
                                      getattr(each, "warned", ""), file=sys.stderr)
                        failures = sum(d < FAILED_BELOW for d in found)
                        row += f" {numpy.mean(found):.3f} / {min(found):.3f}" + (f", {failures} failed" if failures else "") + " |"
                    print(row, flush=True)
                    lines.append(row)
    if arguments.markdown:
        arguments.markdown.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
