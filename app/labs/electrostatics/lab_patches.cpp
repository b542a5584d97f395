/// The lab: patches of the surface, their table, the one that is outlined, and their file.
#include <QObject>
#include <algorithm>
#include <utility>

#include "app/labs/electrostatics/electrostatics_lab.h"
#include "app/workbench/contract/guarded.h"
#include "app/workbench/contract/in_sight.h"
#include "core/base/error.h"
#include "core/base/shown_number.h"

namespace isolume::labs::electrostatics {

using workbench::guarded;

/// Only who sees the table, or a patch that is outlined, wants them. The surface is sampled once for all thresholds.
void ElectrostaticsLab::want_patches() {
  const auto& picture = window_.picture();
  const bool seen = workbench::in_sight(patch_table_) || patch_choices_.outlined > 0;
  if (!seen || !picture || !picture->refined) return;
  PatchesOf wanted{{picture->field, places_on_surface(request_)}, patch_choices_};
  if (patches_of_ == wanted) return show_patch();
  if (patches_of_.surface != wanted.surface) patch_samples_ = nullptr;
  patches_of_ = wanted;
  if (!is_potential()) return show_patches(nullptr);
  context_.jobs.submit(
      workbench::said(tr("Patches of the surface")), "electrostatics.patches",
      [this, wanted, request = request_, samples = patch_samples_](const jobs::Progress& progress) mutable {
        const auto alone = jobs::exclusive(background_, progress);
        if (!samples) {
          samples = std::make_shared<const science::SurfaceSamples>(science::sample_surface(
              request.molecule->charges, *wanted.surface.field, sampled_surface_of(request.view), request.how,
              *request.molecule->surfaces, progress));
        }
        auto list = surface_patch_list(request.molecule, *samples, wanted.choices);
        progress.check();
        context_.on_gui_thread(guarded(this, [this, wanted, samples, list] {
          if (patches_of_ != wanted) return;
          patch_samples_ = samples;
          show_patches(list);
        }));
      },
      jobs::Waited::by_nobody);
}

/// Null: there are none.
void ElectrostaticsLab::show_patches(std::shared_ptr<const SurfacePatchList> list) {
  patches_ = std::move(list);
  if (patch_table_) {
    const QString unit = QString::fromStdString(std::string(science::to_text(how_.unit)));
    if (patches_) {
      const int count = static_cast<int>(patches_->patches.size());
      patch_table_->set_rows(rows_of(patches_, unit),
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
  const bool there = patches_ && chosen > 0 && chosen <= patches_->patches.size();
  if (patch_table_) patch_table_->set_chosen(there ? static_cast<int>(chosen) - 1 : -1);
  auto border = there && view_.shown == Shown::surface ? patches_->borders[chosen - 1] : nullptr;
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
