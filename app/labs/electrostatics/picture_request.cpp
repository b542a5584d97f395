#include "app/labs/electrostatics/picture_request.h"

#include <fmt/format.h>
#include <vtkCellArray.h>
#include <vtkFloatArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>

#include "app/scene/mesh_file.h"
#include "core/base/error.h"
#include "core/electrostatics/residue_values.h"

namespace isolume::labs::electrostatics {

std::shared_ptr<const fields::FieldSource> shape_of(const PictureRequest& request) {
  if (request.view.shown != Shown::surface) return nullptr;
  return surface_source(request.molecule, {request.view.form, request.how.probe_angstrom}, request.where);
}

std::shared_ptr<const FieldLines> lines_along_field(const PictureRequest& request,
                                                    const lattice::ScalarField& potential,
                                                    const jobs::Progress& progress) {
  const auto& charges = request.molecule->charges;
  const auto [field, isovalue] = science::molecular_surface(
      potential.lattice, charges, request.view.form, request.how.probe_angstrom, progress.part(0, 0.3));
  const auto places = science::spread_over(surfaces::isosurface(field, isovalue, progress.part(0.3, 0.5)),
                                           static_cast<std::size_t>(request.view.field_line_count));
  return std::make_shared<const FieldLines>(
      science::field_lines(potential, charges, places, {}, progress.part(0.5, 1)));
}

std::shared_ptr<const ResiduePotentials> residue_potentials(const PictureRequest& request,
                                                            const lattice::ScalarField& potential,
                                                            const jobs::Progress& progress) {
  auto means = std::make_shared<ResiduePotentials>();
  means->unit = potential.unit;
  for (const auto& each : science::residue_surface_values(
           request.molecule->charges, potential, request.view.form, request.how.probe_angstrom, progress))
    means->values.push_back(each.mean);
  return means;
}

bool wants_residue_potentials(const MapView& view) {
  return view.ribbon != RibbonShown::none && view.ribbon_colour == RibbonColour::potential;
}

void write_field_lines(const FieldLines& lines, const std::string& unit, const std::filesystem::path& path) {
  if (path.extension() != ".vtp") {
    throw Error(fmt::format("{}: field lines are written as .vtp; found the suffix {}.", path.string(),
                            isolume::quoted(path.extension().string())));
  }
  vtkNew<vtkPoints> points;
  vtkNew<vtkFloatArray> potential;
  potential->SetName(("potential / " + unit).c_str());
  vtkNew<vtkCellArray> cells;
  for (const auto& line : lines) {
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

scene::FieldPicture compute_picture(const PictureRequest& request, const jobs::Progress& progress) {
  const auto source = potential_source(request.molecule, request.how, request.where);
  auto made = source->compute(source->lattice(), progress.part(0, 0.8));
  if (const auto shape = shape_of(request)) {
    made.second = std::make_shared<const fields::MadeField>(
        shape->compute(made.field->lattice, progress.part(0.8, 0.9)));
  }
  return scene::picture_of(made, true, request.view, nullptr, progress.part(0.9, 1));
}

}  // namespace isolume::labs::electrostatics
