#!/usr/bin/env python3
"""Compares the CT of the Reconstruction lab with that of RTK, from the same projections on the same grid.

    reconstruction_side_by_side.py BUILD/bin/isolume-batch [--size 128] [--views 180] [--threads 2]
        [--output tests/bench/results/reconstruction.md]

The projections are the exact ones of the head phantom on 192 x 192 pixels. Errors are root mean squares against the
phantom, in percent of its largest attenuation: of all voxels of the middle half of the slices. Times of RTK are those
of its filter alone, without files; those of isolume-batch are the whole program's and, from `bench reconstruct`, the
parts'. Needs numpy and, from PyPI, SimpleITK and itk-rtk.
"""
import argparse
import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import numpy
import SimpleITK

# Called with the projections, the volume to write, its voxels across and along the axis, their size in mm, views and threads.
RTK = """
import json, resource, sys, time
import itk
from itk import RTK as rtk
scan, output, size, slices, spacing, views, threads = *sys.argv[1:3], *map(int, sys.argv[3:5]), float(sys.argv[5]), *map(int, sys.argv[6:])
itk.MultiThreaderBase.SetGlobalMaximumNumberOfThreads(threads)
image = itk.Image[itk.F, 3]
projections = itk.imread(scan, itk.F)
columns, rows, _ = projections.GetLargestPossibleRegion().GetSize()
pitch = PITCH
projections.SetSpacing([pitch, pitch, 1])
projections.SetOrigin([-(columns - 1) / 2 * pitch, -(rows - 1) / 2 * pitch, 0])
projections.SetDirection(itk.matrix_from_array([[1., 0, 0], [0, 1, 0], [0, 0, 1]]))
geometry = rtk.ThreeDCircularProjectionGeometry.New()
for i in range(views): geometry.AddProjection(600, 1000, 360 * i / views)

def constant(shape, step):
    source = rtk.ConstantImageSource[image].New()
    source.SetOrigin([-(n - 1) / 2 * s for n, s in zip(shape, step)])
    source.SetSpacing(step)
    source.SetSize(shape)
    source.SetConstant(0)
    source.Update()
    return source.GetOutput()

def timed(filter):
    used = lambda: sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    begin, before = time.monotonic(), used()
    filter.Update()
    return time.monotonic() - begin, used() - before

fdk = rtk.FDKConeBeamReconstructionFilter[image].New()
fdk.SetInput(0, constant([size, slices, size], [spacing] * 3))
fdk.SetInput(1, projections)
fdk.SetGeometry(geometry)
times = {"fdk": timed(fdk)}
itk.imwrite(fdk.GetOutput(), output)
joseph = rtk.JosephForwardProjectionImageFilter[image, image].New()
stack = constant([columns, rows, views], [pitch, pitch, 1])
joseph.SetInput(0, stack)
joseph.SetInput(1, fdk.GetOutput())
joseph.SetGeometry(geometry)
times["forward"] = timed(joseph)
print(json.dumps(times))
"""
PITCH = 1.9


def timed(command):
    """Seconds on the clock and on all cores, and what was printed."""
    used = lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    begin, before = time.monotonic(), used()
    result = subprocess.run(command, check=True, capture_output=True, text=True)
    return time.monotonic() - begin, used() - before, result.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("batch")
    parser.add_argument("--size", type=int, default=128)
    parser.add_argument("--views", type=int, default=180)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--output", type=pathlib.Path)
    arguments = parser.parse_args()
    size, views, threads = arguments.size, str(arguments.views), str(arguments.threads)
    lines = ["| work | seconds | CPU seconds | error in % |", "|---|---|---|---|"]

    def report(work, seconds, cpu_seconds, error=None):
        lines.append(f"| {work} | {seconds:.3f} | {cpu_seconds:.2f} | {'' if error is None else f'{100 * error:.2f}'} |")
        print(lines[-1], flush=True)

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        scan, phantom, ours, theirs = (str(folder / each) for each in ("scan.mha", "phantom.mha", "ours.mha", "theirs.mha"))
        subprocess.run([arguments.batch, "reconstruct", "simulate", "-o", scan, "--phantom", phantom, "--size", str(size),
                        "--all-views", views, "--pixel", str(PITCH)], check=True, capture_output=True)
        read = lambda file: SimpleITK.GetArrayFromImage(SimpleITK.ReadImage(file))  # z, y, x
        truth = read(phantom)
        spacing = SimpleITK.ReadImage(phantom).GetSpacing()[0]

        def error(volume):
            middle = slice(size // 4, size - size // 4)
            return numpy.sqrt(((volume - truth)[middle] ** 2).mean()) / truth.max()

        ct = [arguments.batch, "reconstruct", "ct", scan, "-o", ours, "--size", str(size), "--spacing", f"{spacing}",
              "--threads", threads]
        seconds, cpu_seconds, _ = timed(ct)
        report("isolume-batch reconstruct ct, with files", seconds, cpu_seconds, error(read(ours)))
        bench = json.loads(timed([arguments.batch, "bench", "reconstruct", "--json", "--size", str(size), "--views", views,
                                  "--threads", threads])[2])
        for part in ("filter", "three_slices", "volume", "forward", "pass"):
            seconds = bench[part]["median_ms"] / 1000
            lines.append(f"| {part.replace('_', ' ')} | {seconds:.4f} | | |")
            print(lines[-1], flush=True)
        rtk = [sys.executable, "-c", RTK.replace("PITCH", str(PITCH)), scan, theirs, str(size), str(len(truth)), f"{spacing}"]
        times = json.loads(timed([*rtk, views, threads])[2].splitlines()[-1])
        # RTK's axis of rotation is y, where ours is z; its z is our -y.
        volume = read(theirs).transpose(1, 0, 2)[:, ::-1, :]
        report("RTK, FDK", *times["fdk"], error(volume))
        report("RTK, Joseph's forward projection", *times["forward"])
    if arguments.output:
        arguments.output.write_text(__doc__.split("\n")[0] + "\n\n" + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
