"""Reads a map with GridDataFormats and compares it with v = i + 10 j + 100 k on 5 x 4 x 3 points.

usage: read_map.py FILE X Y Z      with that origin and steps of 0.5, 0.75 and 1.25; ends with 1 where it is another
"""
import sys

import numpy
from gridData import Grid


def check(condition, what):
    if not condition:
        sys.exit(f"read_map.py: {what}")


grid = Grid(sys.argv[1])
i, j, k = numpy.mgrid[0:5, 0:4, 0:3]
check(grid.grid.shape == (5, 4, 3), f"shape {grid.grid.shape}")
check(numpy.allclose(grid.delta, (0.5, 0.75, 1.25), atol=1e-6), f"steps {grid.delta}")
check(numpy.allclose(grid.origin, [float(each) for each in sys.argv[2:]], atol=1e-5), f"origin {grid.origin}")
check(numpy.allclose(grid.grid, i + 10 * j + 100 * k, atol=1e-5), "values")
