#pragma once

#include <cstddef>
#include <filesystem>

namespace isolume::dispatch {

/// Remaining memory of this process under the limits of its control group and of all groups above it, as
/// containers, systemd and batch systems such as Slurm set them (versions 1 and 2 of the interface); the
/// largest number if there is no limit. `root` holds proc/self and the folders where groups are mounted.
/// Linux: Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst.
std::size_t control_groups_available(const std::filesystem::path& root = "/");

}  // namespace isolume::dispatch
