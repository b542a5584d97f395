// https://docs.vtk.org/en/latest/vtk_file_formats/vtkxml_file_format.html
#include "core/electrostatics/maps/vti.h"

#include <cstdint>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/electrostatics/maps/plane_file.h"

namespace isolume::electrostatics {
namespace {

/// For an XML attribute.
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

/// Everything before the numbers: the last eight bytes hold their size in bytes.
std::string vti_head(const grid::Grid& grid, const std::string& name, const std::string& unit) {
  const double to_angstrom = grid::shown_per_unit(grid.unit);
  const Eigen::Vector3d origin = grid.origin * to_angstrom;
  const Eigen::Vector3d spacing = to_angstrom * grid.spacing();
  const Eigen::Matrix3d direction = grid.directions();
  if (!(direction.transpose() * direction).isIdentity(1e-6))
    throw Error(
        "VTK's image data has its axes at right angles, and this grid does not. Write .dx or .cube "
        "instead.");
  const auto& n = grid.dimensions;
  const std::string extent = fmt::format("0 {} 0 {} 0 {}", n[0] - 1, n[1] - 1, n[2] - 1);
  std::string rows;
  for (int row = 0; row < 3; ++row)
    rows += fmt::format("{}{:.9g} {:.9g} {:.9g}", row == 0 ? "" : " ", direction(row, 0), direction(row, 1),
                        direction(row, 2));
  const std::string xml = fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
      "<ImageData WholeExtent=\"{0}\" Origin=\"{1:.9g} {2:.9g} {3:.9g}\" Spacing=\"{4:.9g} {5:.9g} {6:.9g}\" "
      "Direction=\"{7}\">\n<Piece Extent=\"{0}\">\n<PointData Scalars=\"{8}\">\n"
      "<DataArray type=\"Float32\" Name=\"{8}\" format=\"appended\" offset=\"0\"/>\n</PointData>\n</Piece>\n"
      "</ImageData>\n<AppendedData encoding=\"raw\">\n_",
      extent, origin.x(), origin.y(), origin.z(), spacing.x(), spacing.y(), spacing.z(), rows,
      escaped(unit.empty() ? name : fmt::format("{} ({})", name, unit)));
  const std::uint64_t bytes = grid.point_count() * sizeof(float);
  return xml + std::string(reinterpret_cast<const char*>(&bytes), sizeof bytes);
}

}  // namespace

struct VtiWriter::State {
  std::string head;
  PlaneFile file;
};

VtiWriter::VtiWriter(const std::filesystem::path& path, const grid::Grid& grid, const std::string& name,
                     const std::string& unit) {
  std::string head = vti_head(grid, name, unit);
  const std::size_t bytes = head.size();
  state_.reset(new State{std::move(head), PlaneFile(path, grid.dimensions, bytes)});
}

VtiWriter::~VtiWriter() = default;

void VtiWriter::put(const grid::ScalarField& planes, const jobs::Progress& progress) {
  state_->file.put(planes, progress);
}

void VtiWriter::commit() {
  state_->file.commit(state_->head, "\n</AppendedData>\n</VTKFile>\n");
}

void write_vti(const grid::ScalarField& field, const std::filesystem::path& path,
               const jobs::Progress& progress) {
  VtiWriter writer(path, field.grid, field.name, field.unit);
  writer.put(field, progress);
  writer.commit();
}

}  // namespace isolume::electrostatics
