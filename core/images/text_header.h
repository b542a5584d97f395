#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/images/geometry.h"

namespace isolume::images {

/// The lines of a text header before binary data. Lines beyond 1 MiB and headers beyond 16 MiB are rejected.
class HeaderLines {
 public:
  explicit HeaderLines(const std::filesystem::path& path);
  /// Returns false at the end of the file. `line` has no line end.
  bool next();
  std::string line;
  std::size_t number() const { return number_; }    ///< of `line`, from 1
  std::uint64_t offset() const { return offset_; }  ///< of what follows `line`

 private:
  std::filesystem::path path_;
  std::ifstream stream_;
  std::size_t number_ = 0;
  std::uint64_t offset_ = 0;
};

/// The text after a keyword of a header.
struct HeaderField {
  std::string value;
  std::size_t line = 0;  ///< 0: not there
};

std::vector<std::string_view> words_of(std::string_view text);

/// Exactly `count` numbers ("nan" and "inf" too). Throws InputError.
std::vector<double> numbers_of(const std::filesystem::path& file, std::string_view key,
                               const HeaderField& field, std::size_t count);
/// `count` sizes of at least 1.
std::vector<std::uint64_t> sizes_of(const std::filesystem::path& file, std::string_view key,
                                    const HeaderField& field, std::size_t count);
std::int64_t whole_number_of(const std::filesystem::path& file, std::string_view key,
                             const HeaderField& field);

/// The lines of an NRRD header that place voxels, for directions after `before` ("none " for an axis in front). Without
/// sides, the space is left unnamed; lengths are in mm unless their unit is given.
std::string nrrd_placement(const Geometry& geometry, std::string_view before = {});

/// Numbered data files: "slice%03d.raw 1 20 1" is name, first, last and step; a fourth number gives the number of
/// axes in each file, one less than all if it is missing. The pattern is parsed here, never passed to printf: it must
/// contain one number (%d, %03d). `sizes` are those of all axes. Throws InputError.
std::vector<std::filesystem::path> files_by_pattern(const std::filesystem::path& file,
                                                    const HeaderField& field,
                                                    const std::vector<std::uint64_t>& sizes);
/// Data files listed one per line after the header. `axes_per_file` as in the header, or nothing.
std::vector<std::filesystem::path> listed_files(HeaderLines& lines, const std::filesystem::path& file,
                                                std::optional<std::int64_t> axes_per_file,
                                                const std::vector<std::uint64_t>& sizes);

}  // namespace isolume::images
