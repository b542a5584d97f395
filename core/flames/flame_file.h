#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/base/file_format.h"
#include "core/base/remarks.h"
#include "core/flames/flame.h"

namespace isolume::flames {

/// `.flame` files: XML as flam3, Apophysis and other programs write it. In `coefs` and `post` the numbers of an affine
/// map stand in the order a d b e c f.
FileFormats file_formats();

struct FlameFile {
  std::vector<Flame> flames;  ///< at least one
  Remarks remarks;            ///< every variation, parameter and attribute that was left out or assumed
};

/// Throws InputError with the line: not XML, no flame, a number that cannot be read, an impossible flame.
FlameFile read_flames(const std::filesystem::path& path);
/// The same from text; `path` is for messages.
FlameFile parse_flames(const std::string& text, const std::filesystem::path& path);

/// Text of a file with these flames. Numbers are written so that reading gives them back exactly.
std::string flame_text(std::span<const Flame> flames);
/// Throws Error if the file cannot be written.
void write_flames(std::span<const Flame> flames, const std::filesystem::path& path);

}  // namespace isolume::flames
