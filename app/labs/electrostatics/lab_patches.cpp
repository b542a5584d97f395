/// The lab: patches of the surface, their table, the one that is outlined, and their file.
#include <QObject>
#include <algorithm>
#include <utility>

#include "app/labs/electrostatics/electrostatics_lab.h"
#include "app/workbench/contract/in_sight.h"
#include "core/base/error.h"
#include "core/base/shown_number.h"

namespace isolume::labs::electrostatics {

/// Only who sees the table, or a patch that is outlined, wants them. The surface is sampled once for all thresholds.
SurfaceSamplesNode::Declaration ElectrostaticsLab::surface_samples_node() {
  return {.name = workbench::said(tr("Samples of the surface")),
          .channel = "electrostatics.samples",
          .inputs = [this]() -> std::optional<MapInputs> {
            if (!wants_patches() || !is_potential()) return std::nullopt;
            return inputs_of_map(places_on_surface(request_));
          },
          .compute =
              [](const MapInputs& of, const jobs::Progress& progress) {
                const auto& molecule = *of.request.molecule;
                return std::make_shared<const science::SurfaceSamples>(
                    science::sample_surface(molecule.charges, *of.field, sampled_surface_of(of.request.view),
                                            of.request.how, *molecule.surfaces, progress));
              },
          .waited = jobs::Waited::by_nobody,
          .alone = &background_};
}

PatchesNode::Declaration ElectrostaticsLab::patches_node() {
  return {.name = workbench::said(tr("Patches of the surface")),
          .channel = "electrostatics.patches",
          .inputs = [this]() -> std::optional<PatchInputs> {
            if (!wants_patches() || !is_refined()) return std::nullopt;
            if (!is_potential()) return PatchInputs{molecule_, nullptr, patch_choices_};
            if (!surface_samples_.value() || !surface_samples_.settled()) return std::nullopt;
            return PatchInputs{molecule_, surface_samples_.value(), patch_choices_};
          },
          .compute =
              [](const PatchInputs& of, const auto&) {
                return of.samples ? surface_patch_list(of.molecule, *of.samples, of.choices) : nullptr;
              },
          .taken = [this](const auto&) { show_patches(); },
          .waited = jobs::Waited::by_nobody};
}

bool ElectrostaticsLab::wants_patches() const {
  return workbench::in_sight(patch_table_) || patch_choices_.outlined > 0;
}

void ElectrostaticsLab::show_patches() {
  const auto& patches = patches_.value();
  if (patch_table_) {
    const QString unit = QString::fromStdString(std::string(science::to_text(how_.unit)));
    if (patches) {
      const int count = static_cast<int>(patches->patches.size());
      patch_table_->set_rows(rows_of(patches, unit),
                             tr("%n patch(es) where the potential is beyond ±%1 %2", "", count)
                                 .arg(QString::fromStdString(shown_reading(patch_choices_.threshold)), unit));
    } else {
      patch_table_->set_rows({}, tr("Patches are listed here where the potential of one molecule is shown."));
    }
  }
  show_patch();
}

/// The one that is chosen, in the table and on the surface.
void ElectrostaticsLab::show_patch() {
  const auto chosen = static_cast<std::size_t>(std::max(0, patch_choices_.outlined));
  const auto& patches = patches_.value();
  const bool there = patches && chosen > 0 && chosen <= patches->patches.size();
  if (patch_table_) patch_table_->set_chosen(there ? static_cast<int>(chosen) - 1 : -1);
  auto border = there && view_.shown == Shown::surface ? patches->borders[chosen - 1] : nullptr;
  if (border == patch_border_) return;
  patch_border_ = std::move(border);
  window_.restyle();
}

void ElectrostaticsLab::export_patches(const std::filesystem::path& path) {
  require_potential();
  window_.write(path, [path, request = request_, choices = patch_choices_,
                       field = refined_picture().field](const auto& progress) {
    const auto& molecule = *request.molecule;
    const auto samples = science::sample_surface(molecule.charges, *field, sampled_surface_of(request.view),
                                                 request.how, *molecule.surfaces, progress);
    science::write_surface_patches(science::surface_patches(samples, molecule.residues, choices),
                                   molecule.residues, choices, field->unit, path);
  });
}

}  // namespace isolume::labs::electrostatics
