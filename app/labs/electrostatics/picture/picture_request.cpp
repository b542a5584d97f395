#include "app/labs/electrostatics/picture/picture_request.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <vtkCellArray.h>
#include <vtkFloatArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>

#include "app/labs/electrostatics/picture/picture_numbers.h"
#include "app/scene/drawing/text_style.h"
#include "app/scene/files/mesh_file.h"
#include "core/base/error.h"
#include "core/base/language.h"
#include "core/base/shown_number.h"
#include "core/base/suffix.h"
#include "core/electrostatics/surfaces/grid_around.h"
#include "core/electrostatics/surfaces/residue_values.h"
#include "core/grid/point_number.h"

namespace isolume::labs::electrostatics {

namespace {

/// With more points, the equation of a first picture alone takes gigabytes; an atom takes as much memory as some points.
double most_first_points(std::size_t atoms) {
  constexpr double most = 16e6, least = 4e6, points_an_atom = 6;
  return std::max(least, most - points_an_atom * static_cast<double>(atoms));
}

double first_spacing(const structures::Charges& charges, const MapGrid& where) {
  constexpr double step = 0.1, widest = 5;  // angstrom
  const auto box = structures::box_of(charges);
  double spacing = where.spacing_angstrom;
  const auto points = [&] {
    return grid::point_number(science::grid_around(box, spacing, where.margin_angstrom));
  };
  for (int i = 1; spacing < widest && points() > most_first_points(charges.size()); ++i)
    spacing = where.spacing_angstrom + i * step;
  return spacing;
}

/// A bound on the error of the difference of two maps near these places, in the map's unit. Both are rounded, and solved
/// for to a tolerance, relative to the potentials of the charges nearby; those of the others mostly cancel each other.
/// Measured with equal methods and other starts of the solver: a quarter of it at most, for a protein of 906 atoms.
double difference_error(const PictureRequest& request, std::span<const Eigen::Vector3d> places) {
  constexpr double relative_error = 2e-6;
  constexpr std::size_t most_places = 64;
  constexpr double nearest = 1;  // angstrom: surfaces are farther away from their charges
  const auto& charges = request.molecule->charges;
  double largest = 0;
  for (std::size_t at = 0; at < places.size(); at += 1 + places.size() / most_places) {
    double squares = 0;
    for (std::size_t i = 0; i < charges.size(); ++i)
      squares += std::pow(charges.charge[i] / std::max(nearest, (places[at] - charges.place(i)).norm()), 2);
    largest = std::max(largest, std::sqrt(squares));
  }
  return relative_error * largest / request.how.solute_dielectric *
         science::coulomb_constant(request.how.unit, request.how.temperature_kelvin);
}

/// In the map's unit per angstrom.
double field_strength(const grid::ScalarField& potential, const Eigen::Vector3d& place_angstrom,
                      double spacing_angstrom) {
  const double per_unit = grid::shown_per_unit(potential.grid.unit);
  Eigen::Vector3d field;
  for (int axis = 0; axis < 3; ++axis) {
    const Eigen::Vector3d step = spacing_angstrom * Eigen::Vector3d::Unit(axis);
    field[axis] = (grid::interpolate(potential, (place_angstrom + step) / per_unit) -
                   grid::interpolate(potential, (place_angstrom - step) / per_unit)) /
                  (2 * spacing_angstrom);
  }
  return field.norm();
}

/// The stretches of the lines on which the potential changes by more than `error` from one grid point to the next.
FieldLines accurate_lines(const std::vector<science::FieldLine>& lines, const grid::ScalarField& potential,
                          double error) {
  const double spacing = scene::shown_spacing(potential.grid);
  FieldLines kept;
  bool all_are_kept = !lines.empty();
  for (const auto& line : lines) {
    science::FieldLine stretch;
    stretch.start = line.start;
    const auto end_stretch = [&](science::LineEnd end) {
      stretch.end = end;
      if (stretch.places.size() > 1) kept.all.push_back(std::move(stretch));
      stretch = {};
      stretch.start = science::LineEnd::no_field;
    };
    for (std::size_t i = 0; i < line.places.size(); ++i) {
      if (field_strength(potential, line.places[i].cast<double>(), spacing) * spacing > error) {
        stretch.places.push_back(line.places[i]);
        stretch.potential.push_back(line.potential[i]);
      } else {
        all_are_kept = false;
        end_stretch(science::LineEnd::no_field);
      }
    }
    end_stretch(line.end);
  }
  if (all_are_kept) return kept;
  const std::string shown_error =
      fmt::format("{} {}", shown_reading(error, 1), scene::pretty_unit(potential.unit));
  kept.left_out = filled(
      kept.all.empty()
          ? localised("electrostatics",
                      "No field lines: the difference is constant to within the maps' accuracy, about %1.")
          : localised(
                "electrostatics",
                "No field lines where the difference is constant to within the maps' accuracy, about %1."),
      {shown_error});
  return kept;
}

}  // namespace

PictureRequest first_request(std::shared_ptr<const ChargedMolecule> molecule) {
  PictureRequest request;
  request.molecule = std::move(molecule);
  if (!request.molecule->wavefunction) {
    request.where.spacing_angstrom = first_spacing(request.molecule->charges, request.where);
    return request;
  }
  // As chemists look at them: 0.05 Eh/e on the surface of 0.001 e/bohr^3.
  request.how.unit = science::PotentialUnit::hartree_per_e;
  request.where.spacing_angstrom = 0.2;
  request.where.margin_angstrom = 4;
  request.view.form = MapForm::density;
  request.view.isovalue = request.view.colour_limit = request.view.colour_high = 0.05;
  request.view.colour_low = -0.05;
  return request;
}

bool is_beside_map(const PictureRequest& request) {
  return request.other != nullptr &&
         (request.molecule->wavefunction ? request.quantum.difference_to == DifferenceTo::map
                                         : request.where.compare == science::Compared::map);
}

std::shared_ptr<const fields::FieldSource> field_of(const PictureRequest& request) {
  auto where = request.where;
  if (where.compare == science::Compared::map) where.compare = science::Compared::nothing;
  const auto beside_map = [where, other = is_beside_map(request) ? request.other : nullptr,
                           choices = request.other_choices,
                           how = request.how](std::shared_ptr<const fields::FieldSource> ours) {
    return other ? other_map_source(std::move(ours), other, choices, how, where) : ours;
  };
  if (request.molecule->wavefunction)
    return beside_map(wavefunction_source(request.molecule, request.quantum, request.how, where));
  if (!request.frames) return beside_map(potential_source(request.molecule, request.how, where));
  if (request.moment.average) return beside_map(mean_source(request.frames, request.how, where));
  return frame_source(request.frames, request.moment.frame, where,
                      [how = request.how, where, beside_map](auto molecule) {
                        return beside_map(potential_source(std::move(molecule), how, where));
                      });
}

std::shared_ptr<const fields::FieldSource> surface_of(const PictureRequest& request) {
  const auto& view = request.view;
  if (request.molecule->wavefunction && view.form == MapForm::density) {
    return density_surface_source(request.molecule, request.quantum.set, view.density_isovalue,
                                  request.where);
  }
  const MapSurface surface{molecular_surface_of(view.form), request.how};
  if (!request.frames) return surface_source(request.molecule, surface, request.where);
  return frame_source(request.frames, request.moment.frame, request.where,
                      [surface, where = request.where](auto molecule) {
                        return surface_source(std::move(molecule), surface, where);
                      });
}

std::shared_ptr<const fields::FieldSource> shape_of(const PictureRequest& request) {
  return request.view.shown == Shown::surface ? surface_of(request) : nullptr;
}

std::string places_on_surface(const PictureRequest& request) {
  const auto sampled = sampled_surface_of(request.view);
  const bool rolls =
      sampled.form == science::MolecularSurface::ses || sampled.form == science::MolecularSurface::sas;
  return fmt::format("{} {} {}", static_cast<int>(sampled.form), request.view.sample_height,
                     rolls ? request.how.probe_angstrom : 0);
}

std::string places_of_lines(const PictureRequest& request) {
  return fmt::format("{} lines of {}", request.view.field_line_count, surface_of(request)->key());
}

std::optional<SurfaceReading> read_surface(const scene::FieldPicture& picture) {
  if (!picture.colouring || picture.lobes.positive.values == nullptr) return std::nullopt;
  SurfaceReading reading{.lowest = std::numeric_limits<double>::infinity(),
                         .highest = -std::numeric_limits<double>::infinity()};
  double sum = 0, squares = 0;
  auto& values = *picture.lobes.positive.values;
  for (vtkIdType i = 0; i < values.GetNumberOfTuples(); ++i) {
    const double value = values.GetValue(i);
    if (!std::isfinite(value)) continue;
    ++reading.vertices;
    reading.lowest = std::min(reading.lowest, value);
    reading.highest = std::max(reading.highest, value);
    sum += value;
    squares += value * value;
  }
  if (reading.vertices == 0) return std::nullopt;
  reading.mean = sum / static_cast<double>(reading.vertices);
  reading.rms = std::sqrt(squares / static_cast<double>(reading.vertices));
  return reading;
}

std::shared_ptr<const FieldLines> lines_along_field(const PictureRequest& request,
                                                    const grid::ScalarField& potential,
                                                    const jobs::Progress& progress) {
  const auto& charges = request.molecule->charges;
  const auto surface = surface_of(request)->compute(potential.grid, progress.part(0, 0.3));
  const auto places =
      science::spread_over(surfaces::isosurface(*surface.field, *surface.surface_at, progress.part(0.3, 0.5)),
                           static_cast<std::size_t>(request.view.field_line_count));
  FieldLines lines{science::field_lines(potential, charges, places, {}, progress.part(0.5, 1)), {}};
  if (is_difference(request) && !places.empty())
    lines = accurate_lines(lines.all, potential, difference_error(request, places));
  return std::make_shared<const FieldLines>(std::move(lines));
}

std::shared_ptr<const ResiduePotentials> residue_potentials(const PictureRequest& request,
                                                            const grid::ScalarField& potential,
                                                            const jobs::Progress& progress) {
  auto means = std::make_shared<ResiduePotentials>();
  means->unit = potential.unit;
  auto how = request.how;
  // Boundaries of means are blurred, and differences have none, or two.
  if (request.molecule->wavefunction || request.moment.average || is_beside_map(request) ||
      is_difference(request))
    how.method = science::Method::direct;
  for (const auto& each :
       science::residue_surface_values(request.molecule->charges, potential, sampled_surface_of(request.view),
                                       how, *request.molecule->surfaces, progress))
    means->values.push_back(each.mean);
  return means;
}

bool wants_residue_potentials(const MapView& view) {
  return view.ribbon != RibbonShown::none && view.ribbon_colour == RibbonColour::potential;
}

void write_field_lines(const FieldLines& lines, const std::string& unit, const std::filesystem::path& path) {
  if (suffix_of(path) != ".vtp") {
    throw Error(fmt::format("{}: field lines are written as .vtp; found the suffix {}.", path.string(),
                            isolume::quoted(path.extension().string())));
  }
  vtkNew<vtkPoints> points;
  vtkNew<vtkFloatArray> potential;
  potential->SetName(("potential / " + unit).c_str());
  vtkNew<vtkCellArray> cells;
  for (const auto& line : lines.all) {
    cells->InsertNextCell(static_cast<int>(line.places.size()));
    for (std::size_t i = 0; i < line.places.size(); ++i) {
      const auto& place = line.places[i];
      cells->InsertCellPoint(points->InsertNextPoint(place.x(), place.y(), place.z()));
      potential->InsertNextValue(line.potential[i]);
    }
  }
  vtkNew<vtkPolyData> data;
  data->SetPoints(points);
  data->SetLines(cells);
  data->GetPointData()->SetScalars(potential);
  scene::write_mesh(*data, "", path);
}

scene::FieldPicture compute_picture(const PictureRequest& request, const jobs::Progress& progress,
                                    gpu::SurfaceEngine* surfaces) {
  const auto source = field_of(request);
  auto made = source->compute(source->grid(), progress.part(0, 0.8));
  if (const auto shape = shape_of(request)) {
    made.second =
        std::make_shared<const fields::MadeField>(shape->compute(made.field->grid, progress.part(0.8, 0.9)));
  }
  return scene::picture_of(made, true, request.view, surfaces, progress.part(0.9, 1));
}

}  // namespace isolume::labs::electrostatics
