#pragma once

#include <filesystem>
#include <span>

#include "core/neurons/follow.h"

namespace isolume::neurons {

/// Writes centre lines as SWC, the text format of neuron reconstructions (R. C. Cannon et al., J. Neurosci. Methods
/// 84, 49 (1998)): "number type x y z radius parent" with type 2, an axon, and parent -1 where a neuron begins.
/// Positions are those of the image (LPS for a patient's); lengths are in micrometres for a grid in mm and in the unit
/// of the grid otherwise, as the header names. Several neurons are several trees of one file, in order. Throws Error.
void write_swc(std::span<const Neuron> neurons, grid::LengthUnit unit, const std::filesystem::path& path);

/// Writes a row for each neuron: number, first and last slice from 1 (0: it has none), length, mean width and volume
/// with the unit in their names, and why it ends. Throws Error.
void write_table(std::span<const Neuron> neurons, grid::LengthUnit unit, const std::filesystem::path& path);

}  // namespace isolume::neurons
