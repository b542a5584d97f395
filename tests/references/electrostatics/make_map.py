"""Writes mrcfile-5x4x3.mrc: v = i + 10 j + 100 k on 5 x 4 x 3 points, steps 0.5, 0.75 and 1.25 angstrom, origin (-1.5, 2.25, 10).

pip install mrcfile (1.5.4)
"""
import mrcfile
import numpy as np

k, j, i = np.mgrid[0:3, 0:4, 0:5]
with mrcfile.new("mrcfile-5x4x3.mrc", overwrite=True) as file:
    file.set_data((i + 10 * j + 100 * k).astype(np.float32))
    file.voxel_size = (0.5, 0.75, 1.25)
    file.header.origin = (-1.5, 2.25, 10)
