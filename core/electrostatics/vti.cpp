// https://docs.vtk.org/en/latest/vtk_file_formats/vtkxml_file_format.html
#include "core/electrostatics/vti.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/base/error.h"

namespace isolume::electrostatics {
namespace {

/// For an attribute of XML.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&' || c == '<' || c == '>' || c == '"') {
      result += fmt::format("&#{};", static_cast<int>(c));
    } else {
      result += c;
    }
  }
  return result;
}

std::string vti_head(const lattice::ScalarField& field) {
  const double to_angstrom = lattice::shown_per_unit(field.lattice.unit);
  const Eigen::Matrix3d step = field.lattice.step * to_angstrom;
  const Eigen::Vector3d origin = field.lattice.origin * to_angstrom;
  Eigen::Vector3d spacing;
  Eigen::Matrix3d direction;
  for (int axis = 0; axis < 3; ++axis) {
    spacing[axis] = step.col(axis).norm();
    direction.col(axis) = step.col(axis) / spacing[axis];
  }
  if (!(direction.transpose() * direction).isIdentity(1e-6))
    throw Error(
        "VTK's image data has its axes at right angles, and this lattice does not. Write .dx or .cube "
        "instead.");
  const auto& n = field.lattice.dimensions;
  const std::string extent = fmt::format("0 {} 0 {} 0 {}", n[0] - 1, n[1] - 1, n[2] - 1);
  std::string rows;
  for (int row = 0; row < 3; ++row)
    rows += fmt::format("{}{:.9g} {:.9g} {:.9g}", row == 0 ? "" : " ", direction(row, 0), direction(row, 1),
                        direction(row, 2));
  return fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
      "<ImageData WholeExtent=\"{0}\" Origin=\"{1:.9g} {2:.9g} {3:.9g}\" Spacing=\"{4:.9g} {5:.9g} {6:.9g}\" "
      "Direction=\"{7}\">\n<Piece Extent=\"{0}\">\n<PointData Scalars=\"{8}\">\n"
      "<DataArray type=\"Float32\" Name=\"{8}\" format=\"appended\" offset=\"0\"/>\n</PointData>\n</Piece>\n"
      "</ImageData>\n<AppendedData encoding=\"raw\">\n_",
      extent, origin.x(), origin.y(), origin.z(), spacing.x(), spacing.y(), spacing.z(), rows,
      escaped(field.unit.empty() ? field.name : fmt::format("{} ({})", field.name, field.unit)));
}

}  // namespace

void write_vti(const lattice::ScalarField& field, const std::filesystem::path& path,
               const jobs::Progress& progress) {
  static_assert(std::endian::native == std::endian::little);
  const std::string head = vti_head(field);
  AtomicFile file(path);
  file.stream() << head;
  const auto put = [&](const void* bytes, std::size_t count) {
    file.stream().write(static_cast<const char*>(bytes), static_cast<std::streamsize>(count));
  };
  const std::uint64_t bytes = field.values.size() * sizeof(float);
  put(&bytes, sizeof bytes);
  const float* values = field.values.data();
  constexpr std::size_t block = std::size_t{1} << 20;
  for (std::size_t at = 0; at < field.values.size(); at += block) {
    progress.check();
    progress.report(static_cast<double>(at) / static_cast<double>(field.values.size()), "writing the map");
    put(values + at, std::min(block, field.values.size() - at) * sizeof(float));
  }
  file.stream() << "\n</AppendedData>\n</VTKFile>\n";
  file.commit();
}

}  // namespace isolume::electrostatics
