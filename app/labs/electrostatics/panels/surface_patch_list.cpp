#include "app/labs/electrostatics/panels/surface_patch_list.h"

#include <QObject>
#include <QStringList>
#include <array>
#include <utility>

#include "app/labs/electrostatics/panels/table_numbers.h"

namespace isolume::labs::electrostatics {
namespace {

std::shared_ptr<const scene::LineSet> lines_of(const science::PatchBorder& border) {
  constexpr float above = 0.06F;  // angstrom
  constexpr std::array<std::uint8_t, 4> ink{20, 20, 24, 255};
  auto lines = std::make_shared<scene::LineSet>();
  const auto raised = [&](std::size_t i) { return border.places[i] + above * border.normals[i]; };
  for (std::size_t i = 0; i + 2 < border.places.size(); i += 3) {
    if (i % 6 == 0) lines->begin_line();
    lines->add(raised(i), raised(i + 1), raised(i + 2), ink);
  }
  return lines;
}

}  // namespace

std::shared_ptr<const SurfacePatchList> surface_patch_list(std::shared_ptr<const ChargedMolecule> molecule,
                                                           const science::SurfaceSamples& samples,
                                                           const PatchChoices& choices) {
  auto list = std::make_shared<SurfacePatchList>();
  list->patches = science::surface_patches(samples, molecule->residues, choices);
  list->molecule = std::move(molecule);
  for (const auto& border : science::patch_borders(samples, list->patches, choices.threshold))
    list->borders.push_back(lines_of(border));
  return list;
}

TableRows rows_of(std::shared_ptr<const SurfacePatchList> list, const QString& unit) {
  enum Column { number, area, mean, extreme, residues };
  TableRows rows;
  const QString on_it = QObject::tr("Potential on the patch, in %1").arg(unit);
  rows.columns = {
      {QObject::tr("Patch"), QObject::tr("Number of the patch, the largest first"), 0, {}},
      {QObject::tr("A\nÅ²"), QObject::tr("Area of the patch"), 1, QStringLiteral("999.9")},
      {QObject::tr("Mean V\n%1").arg(unit), on_it + QObject::tr(": area-weighted mean"), 2,
       QStringLiteral("−99.99")},
      {QObject::tr("Extreme V\n%1").arg(unit), on_it + QObject::tr(": the value farthest from 0"), 2,
       QStringLiteral("−99.99")},
      {QObject::tr("Residues"), QObject::tr("With the area of each in Å², the largest first"), -1, {}}};
  rows.count = static_cast<int>(list->patches.size());
  rows.words = [list](int row, int) {
    QStringList names;
    for (const auto& [residue, part] : list->patches[static_cast<std::size_t>(row)].residues) {
      names += QStringLiteral("%1 (%2)")
                   .arg(QString::fromStdString(list->molecule->residues.all[residue].name))
                   .arg(number_text(part, 1));
    }
    return names.join(QStringLiteral("; "));
  };
  rows.number = [list](int row, int column) {
    const auto& patch = list->patches[static_cast<std::size_t>(row)];
    switch (column) {
      case number:
        return row + 1.0;
      case area:
        return patch.area;
      case mean:
        return patch.mean;
      default:
        return patch.extreme;
    }
  };
  return rows;
}

}  // namespace isolume::labs::electrostatics
