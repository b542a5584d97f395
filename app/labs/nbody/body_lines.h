#pragma once

#include <memory>
#include <span>

#include "app/labs/nbody/bodies_picture.h"
#include "app/scene/props/line_set.h"

namespace isolume::labs::nbody {

/// Trails, orbits of `named` bodies, boxes of the octree and the periodic box that the bodies are in, in the renderer's
/// coordinates; null where there are none. `seen`: the numbers of the bodies that are drawn.
std::shared_ptr<const scene::LineSet> lines_of(const BodiesRequest& request, const Extent& extent,
                                               std::optional<std::size_t> chosen,
                                               std::span<const std::uint32_t> seen,
                                               std::span<const isolume::nbody::NamedBody> named = {});

}  // namespace isolume::labs::nbody
