#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/remarks.h"
#include "core/images/document.h"
#include "core/images/file_format.h"
#include "core/jobs/progress.h"

namespace isolume::images {

// Whatever the content, these only throw InputError, ResourceError and Cancelled.
Document read_nifti(const std::filesystem::path& file, const ReadOptions& options,
                    const jobs::Progress& progress);
/// `component`: index of the number to read from each voxel; by default the first, or the grey of colours.
Document read_nrrd(const std::filesystem::path& file, const ReadOptions& options,
                   const jobs::Progress& progress, std::optional<std::uint64_t> component = {});
/// The writer's own key/value pairs of an NRRD header ("key:=value").
std::map<std::string, std::string> nrrd_keys(const std::filesystem::path& file);
/// Number of layers of an NRRD file: numbers of each voxel.
std::uint64_t nrrd_components(const std::filesystem::path& file);
Document read_metaimage(const std::filesystem::path& file, const ReadOptions& options,
                        const jobs::Progress& progress);
Document read_tiff(const std::filesystem::path& file, const jobs::Progress& progress);
Document read_png(const std::filesystem::path& file, const jobs::Progress& progress);
Document read_jpeg(const std::filesystem::path& file, const jobs::Progress& progress);

/// Remark for files that do not state their orientation.
inline constexpr const char* sides_remark =
    "The file does not say how it lies in the patient: x to the left, y to the back and z to the head are "
    "assumed.";

/// Remark for colours with a fourth number.
inline constexpr const char* opacity_remark = "The opacity of its colours (alpha) is not used.";

/// Throws InputError if the numbers do not define a grid: sizes below 1 or above what an int holds, spacings that are
/// not positive, directions that are not linearly independent. `sizes` may have any number of axes: their product is
/// checked too.
void require_sizes(const std::filesystem::path& file, const std::vector<std::uint64_t>& sizes);
double positive_spacing(const std::filesystem::path& file, double spacing_mm);  ///< what it was given
void require_grid(const std::filesystem::path& file, const Geometry& geometry);

/// Two sizes that differ, for a message: in bytes if their rounded texts are the same.
std::pair<std::string, std::string> format_unequal_bytes(std::uint64_t one, std::uint64_t other);

/// Throws InputError if a file is too short for its pixels, at a compression ratio of at most `best_packing`.
void require_plausible(const std::filesystem::path& file, std::uint64_t pixel_bytes,
                       std::uint64_t best_packing);
/// For JPEG and its relatives, which compress empty images almost without limit: generous, because every machine has
/// enough memory for small ones.
void require_plausible_jpeg(const std::filesystem::path& file, std::uint64_t pixel_bytes);

}  // namespace isolume::images
