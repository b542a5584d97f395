#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "core/jobs/progress.h"
#include "core/surfaces/isosurface.h"

namespace isolume::electrostatics {

/// Writes triangles with a value at each of their points as VTK's XML poly data with binary numbers, for ParaView and
/// VTK 9 or later. `name`: name of the values, without quotes and brackets. The file appears as a whole or not at
/// all. Throws Error where it cannot be written, Cancelled.
void write_vtp(const surfaces::Mesh& mesh, std::span<const double> values, const std::string& name,
               const std::filesystem::path& path, const jobs::Progress& progress = {});

}  // namespace isolume::electrostatics
