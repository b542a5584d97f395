#pragma once

#include <filesystem>

namespace isolume {

/// DejaVu Sans, which has Greek letters, subscripts and the angstrom sign: of the program's resources, else the
/// system's. Empty where it is not installed.
std::filesystem::path font_file();

}  // namespace isolume
