#pragma once

#include <cstdint>
#include <optional>

#include "core/flames/flame.h"

namespace isolume::flames {

/// A random flame of 2 to 4 functions with one to three variations each, fitted into the view. Candidates whose points
/// escape or fill hardly any of the picture are replaced by the next of the same seed.
Flame random_flame(std::uint64_t seed, int width = 1280, int height = 800);
/// The flame with random changes; `strength` (0 to 1): how large they are. Affine maps and amounts change by normal
/// numbers, and with a third of the strength as probability a function gets another variation.
Flame mutated(const Flame& flame, double strength, std::uint64_t seed);

/// Between two flames, `at` 0 to 1. Weights, colours, amounts and parameters of variations, translations, palette,
/// centre, rotation and tone are interpolated linearly; scales geometrically. The columns of the linear part of an
/// affine map are interpolated in polar coordinates, on the shorter way round, so that maps turn instead of collapsing.
/// A function that one flame lacks has weight 0 there, a variation the amount 0, a final transform is the identity.
/// The result has the size of `a`; at 0 and 1 it equals a and b otherwise.
Flame interpolated(const Flame& a, const Flame& b, double at);
/// The animated functions turned by `turns` full turns: a loop, as of Electric Sheep.
Flame played(const Flame& flame, double turns);

/// A flame while it plays, `time` 0 to 1: played(flame, time); with a second flame, to it and back, at rest at both.
Flame at_time(const Flame& flame, const std::optional<Flame>& second, double time);

/// Centre and scale so that 96 % of the points lie within the picture; zoom and rotation become 0.
View fitted_view(const Flame& flame);

}  // namespace isolume::flames
