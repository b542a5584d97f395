#!/usr/bin/env python3
"""Compares the models of the Anatomy lab, and other programs, on a brain under a known map.

    registration_side_by_side.py BUILD/bin/isolume-batch T1 GREY WHITE [--side 128] [--models fluid b-spline ...]
        [--peers plastimatch greedy demons ants] [--output tests/bench/results/registration.md]

T1, GREY and WHITE are volumes on one grid: an image of a brain, and its grey and white matter, such as the templates of
PyPI's nilearn (mni_icbm152_t1, gm and wm). The moving image is T1 on a cube of --side voxels; the fixed one is T1 under a
random smooth map of up to 8 mm, both with noise of a hundredth of the greatest value. The map is the flow of a velocity
made of Gaussian noise of standard deviations of 8 and 4 voxels. Dice overlaps are those of the tissues (above half of
their greatest value), carried by the field that each program has written. Needs numpy, scipy and nibabel; plastimatch
is packaged for Debian, greedy, the demons of ITK and ANTs come from PyPI as picsl-greedy, SimpleITK and antspyx.
"""
import argparse
import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import nibabel
import numpy
from scipy.ndimage import gaussian_filter, map_coordinates

SPACING = 1.75  # mm at 128 voxels
# Called with the fixed image, the moving one, and the file of the displacements; the same levels and iterations.
PEERS = {
    "greedy": ("greedy, SSD, 100x50x25", """
from picsl_greedy import Greedy3D
import sys
fixed, moving, field = sys.argv[1:]
Greedy3D().execute(f"-i {fixed} {moving} -o {field} -m SSD -n 100x50x25 -s 1.732vox 0.7071vox -threads 2")
"""),
    "demons": ("ITK, fast symmetric demons, 100x50x25", """
import SimpleITK, sys
fixed, moving = (SimpleITK.ReadImage(each, SimpleITK.sitkFloat32) for each in sys.argv[1:3])
SimpleITK.ProcessObject.SetGlobalDefaultNumberOfThreads(2)
field = None
for factor, iterations in ((4, 100), (2, 50), (1, 25)):
    at = [SimpleITK.Shrink(SimpleITK.DiscreteGaussian(each, (0.5 * factor * each.GetSpacing()[0]) ** 2), [factor] * 3)
          if factor > 1 else each for each in (fixed, moving)]
    demons = SimpleITK.FastSymmetricForcesDemonsRegistrationFilter()
    demons.SetNumberOfIterations(iterations)
    demons.SetStandardDeviations(1.5)
    if field is None:
        field = demons.Execute(*at)
    else:
        field = demons.Execute(*at, SimpleITK.Resample(field, at[0], SimpleITK.Transform(), SimpleITK.sitkLinear, 0.0,
                                                       field.GetPixelID()))
SimpleITK.WriteImage(SimpleITK.Cast(field, SimpleITK.sitkVectorFloat32), sys.argv[3])
"""),
    "ants": ("ANTs, SyN, mean squares, 100x50x25", """
import os
os.environ["ITK_GLOBAL_DEFAULT_NUMBER_OF_THREADS"] = "2"
import ants, shutil, sys
fixed, moving = (ants.image_read(each) for each in sys.argv[1:3])
found = ants.registration(fixed, moving, "SyNOnly", initial_transform="Identity", syn_metric="meansquares",
                          reg_iterations=(100, 50, 25))
shutil.copy(next(each for each in found["fwdtransforms"] if each.endswith(".nii.gz")), sys.argv[3])
"""),
}
PLASTIMATCH = """[GLOBAL]
fixed={folder}/fixed.nii.gz
moving={folder}/moving.nii.gz
vf_out={folder}/field.nii.gz
"""
STAGE = """
[STAGE]
xform=bspline
impl=plastimatch
metric=mse
optim=lbfgsb
res={factor} {factor} {factor}
grid_spac={spacing} {spacing} {spacing}
max_its={iterations}
regularization_lambda=0.005
"""


def random_velocity(side, sigma, largest, random):
    field = numpy.stack([gaussian_filter(random.standard_normal((side,) * 3), sigma) for _ in range(3)])
    return field * (largest / numpy.sqrt((field**2).sum(0)).max())


def flow(velocity, index):
    """The displacement of the flow of a velocity at time 1, by squaring."""
    steps = 6
    displacement = velocity / 2**steps
    for _ in range(steps):
        displacement = displacement + numpy.stack(
            [map_coordinates(each, index + displacement, order=1, mode="nearest") for each in displacement]
        )
    return displacement


def make_images(arguments, folder):
    random = numpy.random.default_rng(5)
    side, spacing = arguments.side, SPACING * 128 / arguments.side
    volumes = {name: gaussian_filter(numpy.asarray(nibabel.load(getattr(arguments, name)).dataobj, numpy.float32), 0.6)
               for name in ("t1", "grey", "white")}
    centre = (numpy.array(volumes["t1"].shape) - 1) / 2
    index = numpy.stack(numpy.meshgrid(*[numpy.arange(side, dtype=float)] * 3, indexing="ij"))
    places = (index - (side - 1) / 2) * spacing + centre[:, None, None, None]
    scale = side / 128
    velocity = random_velocity(side, 8 * scale, 4.5 * scale, random) + random_velocity(side, 4 * scale, 1.5 * scale, random)
    displacement = flow(velocity, index)
    print(f"largest displacement {numpy.sqrt((displacement**2).sum(0)).max() * spacing:.2f} mm")

    def write(values, name):
        image = nibabel.Nifti1Image(values, numpy.diag([spacing, spacing, spacing, 1]))
        image.header.set_xyzt_units("mm")
        nibabel.save(image, folder / name)

    for kind, at in (("moving", places), ("fixed", places + spacing * displacement)):
        values = {name: map_coordinates(volume, at, order=1) for name, volume in volumes.items()}
        noise = 0.01 * values["t1"].max() * random.standard_normal((side,) * 3)
        write((values["t1"] + noise).astype(numpy.float32), f"{kind}.nii.gz")
        labels = sum((k + 1) * (values[name] > 0.5 * volumes[name].max()) for k, name in enumerate(("grey", "white")))
        write(labels.astype(numpy.int16), f"{kind}-labels.nii.gz")


def timed(command):
    """Seconds on the clock and on all cores."""
    used = lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    begin, before = time.monotonic(), used()
    result = subprocess.run(command, check=True, capture_output=True, text=True)
    return time.monotonic() - begin, used() - before, result.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("batch", "t1", "grey", "white"):
        parser.add_argument(name)
    parser.add_argument("--side", type=int, default=128)
    parser.add_argument("--models", nargs="*", default=["fluid", "b-spline", "lddmm"])
    parser.add_argument("--peers", nargs="*", default=[], choices=["plastimatch", *PEERS])
    parser.add_argument("--output", type=pathlib.Path)
    arguments = parser.parse_args()
    lines = ["| program | Dice of grey and white matter | least Jacobian | seconds | CPU seconds |", "|---|---|---|---|---|"]

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_images(arguments, folder)
        image = {key: str(folder / f"{key}.nii.gz") for key in ("fixed", "moving", "field", "out", "carried", "jacobian")}

        def report(program, seconds, cpu_seconds):
            subprocess.run([arguments.batch, "anatomy", "warp", str(folder / "moving-labels.nii.gz"), image["field"],
                            "-o", image["carried"], "--labels", "--like", image["fixed"]], check=True, capture_output=True)
            overlap = json.loads(timed([arguments.batch, "anatomy", "labels", image["carried"],
                                        str(folder / "fixed-labels.nii.gz"), "--json"])[2])
            jacobian = json.loads(timed([arguments.batch, "anatomy", "jacobian", image["field"], "-o", image["jacobian"],
                                         "--json"])[2])
            dice = ", ".join(f"{each['dice']:.4f}" for each in overlap["labels"])
            lines.append(f"| {program} | {dice} | {jacobian['least']:.3f} | {seconds:.1f} | {cpu_seconds:.1f} |")
            print(lines[-1], flush=True)

        register = [arguments.batch, "anatomy", "register", image["fixed"], image["moving"], "-o", image["out"], "--field",
                    image["field"], "--linear", "none"]
        report("reading and writing alone", *timed(register + ["--iterations", "0"])[:2])
        for model in arguments.models:
            report(f"--model {model}", *timed(register + ["--model", model])[:2])
        for program, code in (PEERS[each] for each in arguments.peers if each in PEERS):
            report(program, *timed([sys.executable, "-c", code, image["fixed"], image["moving"], image["field"]])[:2])
        if "plastimatch" in arguments.peers:
            text = PLASTIMATCH.format(folder=folder)
            for factor, spacing in ((4, 30), (2, 15), (1, 8)):
                text += STAGE.format(factor=factor, spacing=spacing, iterations=50)
            (folder / "plastimatch.txt").write_text(text)
            report("plastimatch, 3 stages of 50", *timed(["plastimatch", "register", str(folder / "plastimatch.txt")])[:2])
    if arguments.output:
        arguments.output.write_text(__doc__.split("\n")[0] + "\n\n" + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
