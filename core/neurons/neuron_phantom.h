#pragma once

#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "core/base/field_values.h"
#include "core/grid/grid.h"

namespace isolume::neurons {

/// A fibre of the phantom in each slice, in pixels.
struct PhantomAxon {
  std::vector<Eigen::Vector2d> centres;
  std::vector<double> radii;  ///< of the inside, in a slice
};
/// A stack like those of electron microscopy, whose fibres are known.
struct NeuronPhantom {
  grid::Grid grid;  ///< mm
  FieldValues values;
  std::vector<PhantomAxon> axons;
};

/// Fibres with dark membranes side by side: some wind around a neighbour, radii change along them, mitochondria lie in
/// some of them, slices drift against each other by up to two pixels, and each has its own brightness and noise of 0.08
/// of the contrast. Pixels of 10 nm and slices of 30 nm. The same seed gives the same stack.
NeuronPhantom neuron_phantom(int side = 192, int slices = 48, std::uint64_t seed = 1);

}  // namespace isolume::neurons
