#pragma once

#include <filesystem>

namespace isolume {

/// Path of DejaVu Sans, which has Greek letters, subscripts and the angstrom sign: from the program's
/// resources, else the system's. Empty if it is not installed.
std::filesystem::path font_file();

}  // namespace isolume
