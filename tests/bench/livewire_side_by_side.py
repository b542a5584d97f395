#!/usr/bin/env python3
"""Times the shortest paths of Isolume, OpenCV and scikit-image on one cost image, taking turns.

    livewire_side_by_side.py BUILD/bin/bench_livewire_paths [--sizes 512,1024,2048] [--runs 7]

The image is noisy rings; the cost of a pixel is 1 - |gradient| (Sobel, relative to its 99.9th percentile) in 1 to
1023. Entering a pixel costs that times the length of the step. All three get these costs: OpenCV's
IntelligentScissorsMB as the gradient magnitude's feature map with weight 1 (it works in floats and scales straight
steps by 1/sqrt(2) instead of diagonal ones by sqrt(2), which is the same but for a factor); scikit-image's
MCP_Geometric charges the mean of a step's two pixels, its MCP no lengths. So every path is summed again under the
costs as they are here. Times are from the seed in the centre to every pixel, without making the cost image: by the
clock, and of the processor, which other programs on the machine disturb less. Each start of Isolume's
program times four maps, of which the first is left out; the others stay loaded and keep their memory.
Needs numpy, and times those of cv2 and skimage that are installed.
"""
import argparse
import json
import statistics
import subprocess
import tempfile
import time

import numpy

GREATEST_COST = 1023


def noisy_rings(side):
    random = numpy.random.default_rng(1)
    y, x = numpy.mgrid[0:side, 0:side]
    ring = numpy.rint(24 * numpy.hypot(x - side / 2, y - side / 2) / side).astype(int)
    return numpy.where(ring % 2 == 0, 1000.0, 400.0) + random.normal(0, 60, (side, side))


def gradient_costs(image):
    padded = numpy.pad(image, 1, mode="reflect")
    smooth_y = padded[:-2] + 2 * padded[1:-1] + padded[2:]
    smooth_x = padded[:, :-2] + 2 * padded[:, 1:-1] + padded[:, 2:]
    gradient = numpy.hypot(smooth_y[:, 2:] - smooth_y[:, :-2], smooth_x[2:] - smooth_x[:-2])
    ramp = 1 - numpy.minimum(1, gradient / numpy.quantile(gradient, 0.999))
    return numpy.maximum(1, numpy.rint(GREATEST_COST * ramp)).astype(numpy.uint16)


def path_cost(costs, path):
    """Under the costs as Isolume takes them; `path` in (x, y)."""
    total = 0
    for (x0, y0), (x1, y1) in zip(path, path[1:]):
        if max(abs(x1 - x0), abs(y1 - y0)) != 1:
            raise SystemExit(f"a path jumps from {(x0, y0)} to {(x1, y1)}")
        length = 181 if x0 != x1 and y0 != y1 else 128
        total += max(1, (int(costs[y1, x1]) * length + 64) >> 7)
    return total


def timed(work):
    """What the work took: ms by the clock, ms of the processor."""
    start, processor_start = time.perf_counter(), time.process_time()
    work()
    return (time.perf_counter() - start) * 1e3, (time.process_time() - processor_start) * 1e3


def isolume(program, costs, seed, target):
    with tempfile.NamedTemporaryFile(suffix=".raw") as file:
        costs.tofile(file.name)
        size = [str(n) for n in (costs.shape[1], costs.shape[0], *seed, *target, 4)]
        out = json.loads(subprocess.run([program, file.name, *size], check=True, capture_output=True).stdout)
    return out


def opencv(costs, seed, target):
    import cv2

    tool = cv2.segmentation_IntelligentScissorsMB()
    tool.setWeights(0, 0, 1)
    none = numpy.zeros(costs.shape, numpy.uint8)
    direction = numpy.zeros((*costs.shape, 2), numpy.float32)
    tool.applyImageFeatures(none, direction, (costs / GREATEST_COST).astype(numpy.float32))
    took = timed(lambda: tool.buildMap(seed))
    return took, tool.getContour(target).reshape(-1, 2).tolist()


def scikit_image(kind):
    def run(costs, seed, target):
        from skimage import graph

        search = getattr(graph, kind)(costs.astype(float), fully_connected=True)
        took = timed(lambda: search.find_costs([seed[::-1]]))
        return took, [(x, y) for y, x in search.traceback(target[::-1])]

    return run


def installed(module):
    try:
        __import__(module)
        return True
    except ImportError:
        print(f"{module} is not installed")
        return False


def others():
    found = {}
    if installed("cv2"):
        found["OpenCV IntelligentScissorsMB"] = opencv
    if installed("skimage.graph"):
        found["scikit-image MCP_Geometric"] = scikit_image("MCP_Geometric")
        found["scikit-image MCP"] = scikit_image("MCP")
    return found


def compare(program, side, runs):
    costs = gradient_costs(noisy_rings(side))
    seed, target = (side // 2, side // 2), (side - side // 8, side // 5)
    times, paths = {}, {}
    others()  # imports
    for _ in range(runs):
        ours = isolume(program, costs, seed, target)
        if path_cost(costs, ours["path"]) != ours["cost"]:
            raise SystemExit("Isolume's distance is not the cost of its path")
        for name, key in (("Isolume cpu, 1 thread", "cpu_ms"), ("Isolume cpu-delta", "cpu_delta_ms")):
            times.setdefault(name, []).extend(ours[key][1:])
            paths[name] = ours["path"]
        for name, run in others().items():
            took, paths[name] = run(costs, seed, target)
            times.setdefault(name, []).append(took)
    print_table(f"{side} x {side}, {runs} runs", costs, times, paths)


def print_table(title, costs, times, paths):
    print(f"\n{title}\n{'':<30} {'median ms':>10} {'least ms':>10} {'CPU ms':>8} {'CPU ratio':>10} {'path cost':>10}")
    medians = {name: [statistics.median(column) for column in zip(*all)] for name, all in times.items()}
    own = medians["Isolume cpu, 1 thread"][1]
    for name, (elapsed, processor) in medians.items():
        least = min(took[0] for took in times[name])
        cost = path_cost(costs, [tuple(pixel) for pixel in paths[name]])
        print(f"{name:<30} {elapsed:>10.1f} {least:>10.1f} {processor:>8.1f} {processor / own:>10.1f} {cost:>10}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="bench_livewire_paths, as built with ISOLUME_BENCHMARKS=ON")
    parser.add_argument("--sizes", default="512,1024,2048")
    parser.add_argument("--runs", type=int, default=7)
    arguments = parser.parse_args()
    for side in arguments.sizes.split(","):
        compare(arguments.program, int(side), arguments.runs)


if __name__ == "__main__":
    main()
