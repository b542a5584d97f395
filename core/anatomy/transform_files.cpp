#include "core/anatomy/transform_files.h"

#include <array>
#include <cctype>
#include <cmath>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <Eigen/LU>
#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/input_file.h"
#include "core/base/number.h"
#include "core/dispatch/dispatch.h"
#include "core/images/file_format.h"
#include "core/isolation/reader_process.h"

namespace isolume::anatomy {
namespace {

namespace fs = std::filesystem;

constexpr const char* suffixes = ".tfm, .txt, .mat or .h5";

/// The name of the format for isolume-reader; empty for other suffixes.
std::string_view format_of(const fs::path& path) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> formats{
      {{".tfm", "text"}, {".txt", "text"}, {".mat", "matlab"}, {".h5", "hdf5"}, {".hdf5", "hdf5"}}};
  for (const auto& [suffix, format] : formats) {
    if (images::ends_with_suffix(path, suffix)) return format;
  }
  return {};
}

/// Why the map cannot be used; empty if it can.
std::string_view problem_of(const Eigen::Affine3d& map) {
  if (!map.matrix().allFinite()) return "its matrix has numbers that are not finite";
  const double scale = map.linear().norm();
  if (std::abs(map.linear().determinant()) <= 1e-12 * scale * scale * scale)
    return "its matrix is singular, so that the map has no inverse";
  return {};
}

double number_of(const nlohmann::json& json) {
  return json.is_number() ? json.get<double>() : std::nan("");
}

/// A linear step as isolume-reader describes it.
Eigen::Affine3d linear_of(const nlohmann::json& step, const fs::path& path) {
  Eigen::Affine3d map = Eigen::Affine3d::Identity();
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column)
      map.linear()(row, column) = number_of(step.at("matrix").at(static_cast<std::size_t>(3 * row + column)));
    map.translation()[row] = number_of(step.at("offset").at(static_cast<std::size_t>(row)));
  }
  if (const auto problem = problem_of(map); !problem.empty())
    throw InputError(path, 0, problem, "Write it again with the program that made it.");
  return map;
}

/// The grid of a field: counts, origin, spacings, and directions by rows, in which a column is an axis.
grid::Grid grid_of(const nlohmann::json& numbers, const fs::path& path) {
  grid::Grid grid;
  grid.unit = grid::LengthUnit::millimetre;
  grid.frame = grid::Frame::patient;
  const auto number = [&](int at) { return number_of(numbers.at(static_cast<std::size_t>(at))); };
  constexpr double most_points = 1 << 15;
  bool is_valid = numbers.size() == 18;
  for (int axis = 0; axis < 3 && is_valid; ++axis) {
    is_valid = number(axis) >= 1 && number(axis) <= most_points && number(6 + axis) > 0;
    if (!is_valid) break;
    grid.dimensions[static_cast<std::size_t>(axis)] = static_cast<int>(number(axis));
    grid.origin[axis] = number(3 + axis);
    for (int row = 0; row < 3; ++row) grid.step(row, axis) = number(9 + 3 * row + axis) * number(6 + axis);
  }
  if (!is_valid || !grid.step.allFinite() || !grid.origin.allFinite() || grid.step.determinant() == 0) {
    throw InputError(path, 0, "the grid of its displacement field is not valid",
                     "Write it again with the program that made it.");
  }
  require_registrable(grid, path.string());
  return grid;
}

/// From an image's positions to FSL's coordinates: mm along its voxels' axes from the first voxel, or from the last
/// one of the first axis.
Eigen::Affine3d to_fsl(const grid::Grid& grid) {
  Eigen::Affine3d positions = Eigen::Affine3d::Identity();
  positions.linear() = grid.step;
  positions.translation() = grid.origin;
  Eigen::Affine3d to_mm = Eigen::Affine3d::Identity();
  to_mm.linear() = grid.spacing().asDiagonal();
  // Without sides in its header, FSL takes an image for left-handed ("radiological").
  if (grid.frame == grid::Frame::patient && grid.step.determinant() > 0) {
    to_mm.linear()(0, 0) *= -1;
    to_mm.translation()[0] = grid.spacing(0) * (grid.dimensions[0] - 1);
  }
  return to_mm * positions.inverse();
}

}  // namespace

bool is_linear_file(const fs::path& path) {
  return !format_of(path).empty();
}

void write_linear(const Eigen::Affine3d& map, const fs::path& path) {
  const std::string_view format = format_of(path);
  if (format.empty())
    throw Error(
        fmt::format("{}: linear maps are written as {}. Choose one of these.", path.string(), suffixes));
  if (const auto problem = problem_of(map); !problem.empty())
    throw Error(fmt::format("{}: the map cannot be written: {}.", path.string(), problem));
  std::array<double, 9> matrix{};
  Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(matrix.data()) = map.linear();
  const Eigen::Vector3d offset = map.translation();
  AtomicFile file(path);
  isolation::ReaderProcess itk("ITK", file.temporary());
  try {
    itk.call({{"do", "write"},
              {"format", format},
              {"matrix", matrix},
              {"offset", {offset[0], offset[1], offset[2]}}});
  } catch (const isolation::Refused& why) {
    throw Error(fmt::format("{}: the map was not written: {}. Check the folder and the space on the disk.",
                            path.string(), why.what()));
  }
  file.commit(fs::file_size(file.temporary()));
}

std::vector<Transform::Step> read_itk(const fs::path& path, const jobs::Progress& progress) {
  require_regular_file(path);
  const std::string_view format = format_of(path);
  if (format.empty()) {
    throw InputError(path, 0, "this is not the name of a transform of ITK",
                     fmt::format("Choose a file that ends with {}.", suffixes));
  }
  if (is_fsl_matrix(path)) {
    throw InputError(path, 0, "this is a matrix of FSL, which depends on the grids of both images",
                     "Convert it with isolume-batch anatomy compose, --fsl-fixed and --fsl-moving.");
  }
  isolation::ReaderProcess itk("ITK", path, progress.stop_token());
  std::vector<Transform::Step> steps;
  try {
    const nlohmann::json found = itk.call({{"do", "read"}, {"format", format}});
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!found.at(i).contains("field")) {
        steps.emplace_back(linear_of(found.at(i), path));
        continue;
      }
      const grid::Grid grid = grid_of(found.at(i).at("field"), path);
      constexpr std::size_t components = 3;
      dispatch::require_memory("Reading the displacements",
                               2 * components * sizeof(float) * grid.point_count(),
                               "Read it on a machine with more memory.");
      FieldValues numbers(components * grid.point_count());
      itk.call({{"do", "field"}, {"step", i}}, std::as_writable_bytes(std::span(numbers)));
      std::array<FieldValues, components> in_mm;
      for (std::size_t component = 0; component < components; ++component) {
        in_mm[component].resize(grid.point_count());
        for (std::size_t at = 0; at < grid.point_count(); ++at)
          in_mm[component][at] = numbers[components * at + component];
      }
      steps.emplace_back(
          std::make_shared<const DisplacementImage>(displacements_in_voxels(grid, in_mm, path, Remarks())));
    }
  } catch (const isolation::Refused& why) {
    throw InputError(
        path, 0, why.what(),
        "Write it again, as a linear transform of ITK in three dimensions or as a displacement field.");
  }
  return steps;
}

Eigen::Affine3d read_linear(const fs::path& path) {
  Transform all;
  for (Transform::Step& step : read_itk(path, {})) all.append(Transform(std::move(step)));
  if (const auto map = all.linear()) return *map;
  throw InputError(path, 0, "it has a displacement field, and a linear map is needed",
                   "Choose a file of a linear transform.");
}

bool is_fsl_matrix(const fs::path& path) {
  const std::string start = start_of_file(path, 64);
  const auto first = start.find_first_not_of(" \t\r\n");
  return first != std::string::npos && (std::isdigit(static_cast<unsigned char>(start[first])) != 0 ||
                                        start[first] == '-' || start[first] == '+');
}

Eigen::Affine3d read_fsl(const fs::path& path, const grid::Grid& fixed, const grid::Grid& moving) {
  require_regular_file(path);
  constexpr std::size_t most_bytes = 1 << 16;
  const std::string text = start_of_file(path, most_bytes);
  std::istringstream words(text);
  std::vector<double> numbers;
  for (std::string word; words >> word && numbers.size() <= 16;) {
    const auto number = parse_finite(word);
    if (!number) {
      throw InputError(path, 0,
                       fmt::format("expected a number of a matrix of FSL, found {}", isolume::quoted(word)),
                       "Choose the matrix that flirt -omat has written.");
    }
    numbers.push_back(*number);
  }
  const bool is_affine =
      numbers.size() == 16 && numbers[12] == 0 && numbers[13] == 0 && numbers[14] == 0 && numbers[15] == 1;
  if (!is_affine) {
    throw InputError(path, 0, "expected four rows of four numbers, the last one 0 0 0 1",
                     "Choose the matrix that flirt -omat has written.");
  }
  Eigen::Affine3d to_fixed = Eigen::Affine3d::Identity();
  to_fixed.matrix() = Eigen::Map<Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(numbers.data());
  if (const auto problem = problem_of(to_fixed); !problem.empty())
    throw InputError(path, 0, problem, "Write it again with the program that made it.");
  return to_fsl(moving).inverse() * to_fixed.inverse() * to_fsl(fixed);
}

}  // namespace isolume::anatomy
