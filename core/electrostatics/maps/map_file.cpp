#include "core/electrostatics/maps/map_file.h"

#include <algorithm>
#include <array>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/letter_case.h"
#include "core/base/suffix.h"
#include "core/base/units.h"
#include "core/electrostatics/maps/ccp4.h"
#include "core/electrostatics/maps/opendx.h"
#include "core/electrostatics/maps/vti.h"
#include "core/electrostatics/poisson_boltzmann/distance_map.h"
#include "core/images/document.h"
#include "core/images/readers.h"
#include "core/images/volume.h"
#include "core/molecules/document.h"
#include "core/molecules/line_reader.h"
#include "core/molecules/writers.h"

namespace isolume::electrostatics {
namespace {

enum class MapFormat { none, opendx, ccp4, vti, cube, nrrd };

MapFormat map_format_of(const std::filesystem::path& path) {
  const auto name = lower_case(path.filename().string());
  const auto ends = [&](std::string_view ending) {
    return name.size() > ending.size() && name.ends_with(ending);
  };
  const auto ends_or_packed = [&](const std::string& ending) { return ends(ending) || ends(ending + ".gz"); };
  if (ends_or_packed(".dx")) return MapFormat::opendx;
  if (ends_or_packed(".ccp4") || ends_or_packed(".mrc") || ends_or_packed(".map")) return MapFormat::ccp4;
  if (ends(".vti")) return MapFormat::vti;
  if (ends(".cube")) return MapFormat::cube;
  if (ends(".nrrd")) return MapFormat::nrrd;
  return MapFormat::none;
}

/// Cube files are in bohr.
grid::Grid in_bohr(grid::Grid grid) {
  if (grid.unit == grid::LengthUnit::angstrom) {
    const double to_bohr = 1 / grid::shown_per_unit(grid::LengthUnit::bohr);
    grid.origin *= to_bohr;
    grid.step *= to_bohr;
    grid.unit = grid::LengthUnit::bohr;
  }
  return grid;
}

std::string cube_comment(const std::string& unit) {
  return fmt::format("electrostatic potential ({})", unit);
}

constexpr double mm_per_angstrom = 1e-7;

/// An image file, whose reader converts lengths to mm.
grid::ScalarField read_nrrd_map(const std::filesystem::path& path, const jobs::Progress& progress,
                                Remarks& remarks) {
  const images::Document image = images::read_nrrd(path, {}, progress);
  remarks.add(image.remarks);
  grid::ScalarField field = images::field_of(image.volume);
  field.grid.origin /= mm_per_angstrom;
  field.grid.step /= mm_per_angstrom;
  field.grid.unit = grid::LengthUnit::angstrom;
  return field;
}

void write_nrrd_map(grid::ScalarField field, const std::filesystem::path& path) {
  images::write_volume(images::volume_of(std::make_shared<const grid::ScalarField>(std::move(field))), path);
}

void write_cube_in_bohr(grid::ScalarField field, const molecules::Molecule& molecule,
                        const std::filesystem::path& path, const jobs::Progress& progress) {
  field.grid = in_bohr(field.grid);
  const std::vector<const grid::ScalarField*> fields{&field};
  molecules::write_cube(molecule, fields, {}, cube_comment(field.unit), path, progress);
}

}  // namespace

const FileFormats& map_formats() {
  static const FileFormats formats{
      "Maps, to compare with a molecule's",
      {{.title = "OpenDX map", .suffixes = {".dx"}, .gzipped = true, .mime_type = "chemical/x-opendx"},
       {.title = "CCP4 map",
        .suffixes = {".ccp4", ".mrc"},
        .gzipped = true,
        .mime_type = "chemical/x-ccp4",
        .is_text = false,
        .magic = {{208, "MAP "}}},
       {.title = "CCP4 map", .suffixes = {".map"}, .gzipped = true, .is_text = false},
       {.title = "VTK image data", .suffixes = {".vti"}, .mime_type = "application/x-vtk-image-data"}}};
  return formats;
}

bool is_map_file(const std::filesystem::path& path) {
  return map_format_of(path) != MapFormat::none;
}

namespace {

grid::ScalarField first_field_of_cube(const std::filesystem::path& path, const jobs::Progress& progress,
                                      Remarks* remarks) {
  const auto document = molecules::read_document(path, progress);
  if (document.fields.empty())
    throw InputError(path, 0, "there is no field in it", "Give an OpenDX, CCP4, VTI, NRRD or cube file.");
  if (remarks != nullptr) remarks->add(document.remarks);
  return *document.fields.front();
}

/// Units that cube files are in, and those of maps that they are converted to.
struct CubeUnit {
  std::string_view name;
  PotentialUnit unit;
  double factor;
};
constexpr std::array<CubeUnit, 2> cube_units{
    {{"V", PotentialUnit::millivolt, 1000},
     {"kJ/mol/e", PotentialUnit::kcal_per_mol_e, 1 / units::joule_per_calorie}}};

grid::ScalarField read_cube_map(const std::filesystem::path& path, const jobs::Progress& progress,
                                Remarks& remarks) {
  auto field = first_field_of_cube(path, progress, &remarks);
  field.grid = in_angstrom(field.grid);
  // The cube reader has already recognised a potential by the comments, and a unit other than the usual one.
  if (const auto* const found = std::ranges::find(cube_units, field.unit, &CubeUnit::name);
      found != cube_units.end()) {
    for (float& value : field.values) value = static_cast<float>(found->factor * value);
    field.unit = to_text(found->unit);
    remarks.converted(fmt::format("The map in {} was converted from {} to {}.", path.filename().string(),
                                  found->name, field.unit));
    return field;
  }
  if (field.unit.empty() || field.unit == to_text(PotentialUnit::hartree_per_e)) {
    const auto unit = unit_in_brackets(field.name);
    field.unit = unit ? to_text(*unit) : "";
  } else if (!potential_unit_of(field.unit)) {
    throw InputError(path, 0, fmt::format("its values are in {}, not a potential", field.unit),
                     "Give a cube file of the electrostatic potential.");
  }
  return field;
}

}  // namespace

PotentialMap read_map(const std::filesystem::path& path, const jobs::Progress& progress) {
  PotentialMap map;
  switch (map_format_of(path)) {
    case MapFormat::opendx:
      map.field = read_opendx(path, progress);
      break;
    case MapFormat::ccp4:
      map.field = read_ccp4(path, progress, &map.remarks);
      break;
    case MapFormat::vti:
      map.field = read_vti(path, progress, &map.remarks);
      break;
    case MapFormat::nrrd:
      map.field = read_nrrd_map(path, progress, map.remarks);
      break;
    default:
      map.field = read_cube_map(path, progress, map.remarks);
      map.unit = PotentialUnit::hartree_per_e;
  }
  const auto stated = potential_unit_of(map.field.unit);
  map.unit_is_assumed = !stated.has_value();
  if (stated) map.unit = *stated;
  map.field.unit = to_text(map.unit);
  map.field.name = path.filename().string();
  return map;
}

grid::Grid read_map_grid(const std::filesystem::path& path, const jobs::Progress& progress,
                         Remarks* remarks) {
  const auto format = map_format_of(path);
  if (format == MapFormat::opendx) return read_opendx_grid(path, progress);
  if (format == MapFormat::ccp4) return read_ccp4_grid(path, remarks);
  if (format == MapFormat::vti) return read_vti_grid(path, progress);
  if (format == MapFormat::nrrd) {
    Remarks all;
    const grid::Grid grid = read_nrrd_map(path, progress, all).grid;
    if (remarks != nullptr) remarks->add(all);
    return grid;
  }
  return first_field_of_cube(path, progress, remarks).grid;
}

bool takes_parts(const std::filesystem::path& path) {
  const auto format = map_format_of(path);
  const bool packed = suffix_of(path) == ".gz";
  return format != MapFormat::none && format != MapFormat::nrrd && !(format == MapFormat::ccp4 && packed);
}

struct MapWriter::State {
  std::variant<std::monostate, OpenDxWriter, Ccp4Writer, VtiWriter, molecules::CubeWriter> writer;

  template <class Use>
  void with_writer(Use use) {
    std::visit(
        [&](auto& each) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(each)>, std::monostate>) use(each);
        },
        writer);
  }
};

MapWriter::MapWriter(const std::filesystem::path& path, const grid::Grid& grid, const std::string& name,
                     const std::string& unit, const molecules::Molecule& molecule)
    : state_(std::make_unique<State>()) {
  if (!takes_parts(path)) {
    throw Error(
        fmt::format("{}: this format is written in one piece. Give a name that ends with .dx, .dx.gz, "
                    ".ccp4, .mrc, .map, .vti or .cube.",
                    path.string()));
  }
  auto& writer = state_->writer;
  switch (map_format_of(path)) {
    case MapFormat::opendx:
      writer.emplace<OpenDxWriter>(path, grid, name, unit);
      break;
    case MapFormat::ccp4:
      writer.emplace<Ccp4Writer>(path, grid, name, unit);
      break;
    case MapFormat::vti:
      writer.emplace<VtiWriter>(path, grid, name, unit);
      break;
    default:
      writer.emplace<molecules::CubeWriter>(molecule, in_bohr(grid), cube_comment(unit), path);
  }
}

MapWriter::~MapWriter() = default;

void MapWriter::put(const grid::ScalarField& planes, const jobs::Progress& progress) {
  state_->with_writer([&](auto& writer) { writer.put(planes, progress); });
}

void MapWriter::commit() {
  state_->with_writer([](auto& writer) { writer.commit(); });
}

void write_map(grid::ScalarField field, const std::filesystem::path& path, const jobs::Progress& progress,
               const molecules::Molecule& molecule) {
  switch (map_format_of(path)) {
    case MapFormat::opendx:
      return write_opendx(field, path, progress);
    case MapFormat::ccp4:
      return write_ccp4(field, path, progress);
    case MapFormat::vti:
      return write_vti(field, path, progress);
    case MapFormat::cube:
      return write_cube_in_bohr(std::move(field), molecule, path, progress);
    case MapFormat::nrrd:
      return write_nrrd_map(std::move(field), path);
    case MapFormat::none:
      break;
  }
  throw Error(fmt::format("{}: the name does not give a format. Give one that ends with {}.", path.string(),
                          map_endings));
}

}  // namespace isolume::electrostatics
