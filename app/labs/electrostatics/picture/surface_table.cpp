#include "app/labs/electrostatics/picture/surface_table.h"

#include <cmath>
#include <iterator>
#include <span>
#include <string>

#include <fmt/format.h>
#include <vtkFloatArray.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>

#include "core/base/atomic_file.h"
#include "core/base/csv.h"
#include "core/base/error.h"

namespace isolume::labs::electrostatics {

void write_surface_table(const scene::FieldPicture& picture, const ChargedMolecule& molecule,
                         double sample_height, const std::filesystem::path& path,
                         const jobs::Progress& progress) {
  const auto mesh = scene::mesh_of(picture.lobes.positive);
  auto* values = picture.lobes.positive.values.Get();
  if (!picture.colouring || values == nullptr || mesh->GetPoints() == nullptr) {
    throw Error(fmt::format(
        "{}: the table holds vertices of a coloured surface, and none is shown. Show a surface first.",
        path.string()));
  }
  auto* points = vtkFloatArray::SafeDownCast(mesh->GetPoints()->GetData());
  if (points == nullptr) throw Error("The surface's points are no single-precision numbers.");
  const std::span<const float> places(points->GetPointer(0),
                                      static_cast<std::size_t>(points->GetNumberOfValues()));
  const auto atoms = molecule.nearest.at(places);
  AtomicFile file(path);
  fmt::memory_buffer lines;
  const auto flush = [&] {
    file.stream().write(lines.data(), static_cast<std::streamsize>(lines.size()));
    lines.clear();
  };
  const auto out = std::back_inserter(lines);
  fmt::format_to(out,
                 "# vertices of the molecular surface: x, y and z in angstrom; potential in {}, {:g} "
                 "angstrom above the surface ({}); nearest residue\nx,y,z,potential,residue\n",
                 picture.field->unit, sample_height, picture.field->name);
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    const float value = values->GetValue(static_cast<vtkIdType>(i));
    std::string residue;
    if (atoms[i] != science::NearestAtoms::none) {
      residue = molecule.residues.all[molecule.residues.of_atom[static_cast<std::size_t>(atoms[i])]].name;
    }
    fmt::format_to(out, "{:.4f},{:.4f},{:.4f},{},{}\n", places[3 * i], places[3 * i + 1], places[3 * i + 2],
                   std::isfinite(value) ? fmt::format("{:.6g}", value) : "", csv_cell(residue));
    if (i % 65536 == 0) {
      progress.check();
      progress.report(static_cast<double>(i) / static_cast<double>(atoms.size()), "writing the table");
      flush();
    }
  }
  flush();
  file.commit();
}

}  // namespace isolume::labs::electrostatics
