// livewire.contours.*, livewire.reference.* and livewire.image.*
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "app/labs/livewire/commands.h"
#include "app/labs/livewire/export_contours.h"
#include "app/labs/livewire/workspace.h"
#include "app/workbench/command_registry.h"
#include "app/workbench/translated.h"
#include "core/base/error.h"
#include "core/base/remarks.h"
#include "core/contours/label_map.h"
#include "core/contours/measures.h"
#include "core/dicom/rtstruct.h"
#include "core/dicom/segmentation.h"
#include "core/images/dicom_header.h"

namespace isolume::labs::livewire {
namespace {

void save(Workspace& workspace, const std::filesystem::path& path) {
  workspace.context().jobs.submit(
      workbench::said(QObject::tr("Write %1"), path.filename().string()), {},
      [&workspace, path,
       document = contours::ContourDocument{workspace.model().contours(), reference_of(workspace.image())}](
          const jobs::Progress&) {
        contours::write_contours(document, path);
        workspace.later([&workspace, path] { show_written(workspace, path); });
      });
}

void check_fits(const contours::ContourDocument& document, const images::Document& image,
                const std::filesystem::path& path) {
  const auto& there = document.image.geometry.size;
  const auto& here = image.volume.geometry.size;
  if (there == here) return;
  throw InputError(
      path, 0,
      workbench::said(
          QObject::tr("the contours belong to an image of %1 x %2 x %3, this one has %4 x %5 x %6"), there[0],
          there[1], there[2], here[0], here[1], here[2]),
      workbench::said(QObject::tr("Open their image first.")));
}

void open(Workspace& workspace, const std::filesystem::path& path) {
  workspace.context().jobs.submit(
      workbench::said(QObject::tr("Read %1"), path.filename().string()), "livewire.import",
      [&workspace, path, image = workspace.model().image()](const jobs::Progress&) {
        auto document = contours::read_contours(path);
        check_fits(document, *image, path);
        workspace.later([&workspace, image, set = std::move(document.set)] {
          if (image == workspace.model().image()) workspace.model().change(QObject::tr("Open contours"), set);
        });
      });
}

void anonymise(Workspace& workspace, const std::filesystem::path& folder) {
  if (!workspace.image().dicom)
    throw Error(workbench::said(QObject::tr("The image is not DICOM: there is nothing to anonymise.")));
  std::vector<std::filesystem::path> files;
  for (const auto& slice : workspace.image().dicom->slices) {
    if (std::find(files.begin(), files.end(), slice.file) == files.end()) files.push_back(slice.file);
  }
  workspace.context().jobs.submit(
      workbench::said(QObject::tr("Write anonymised copies")), {},
      [&workspace, files, folder](const jobs::Progress& progress) {
        const Remarks remarks = images::write_anonymised(files, folder, progress);
        if (remarks.empty()) return;
        workspace.later([&workspace, remarks] { workspace.show_remarks(remarks); });
      });
}

/// What a file holds of contours: a structure set, saved contours, or a label map of the same grid.
dicom::ReadStructures read_contours(const std::filesystem::path& path, const images::Document& image,
                                    const jobs::Progress& progress) {
  if (dicom::kind_of(path) == dicom::DicomKind::rtstruct) return dicom::read_rtstruct(path, image, progress);
  if (dicom::kind_of(path) == dicom::DicomKind::segmentation) {
    auto read = dicom::read_segmentation(path, image, progress.part(0, 0.5));
    auto set = contours::contours_of(read.label_map, 2, progress.part(0.5, 1));
    for (const auto& label : read.labels) set.put_label(label);
    return {.set = std::move(set), .warnings = std::move(read.warnings)};
  }
  if (path.extension() == ".json") {
    auto document = contours::read_contours(path);
    check_fits(document, image, path);
    return {.set = std::move(document.set), .warnings = {}};
  }
  const auto map = images::read_image(path, {}, progress.part(0, 0.3)).volume;
  if (map.geometry.size != image.volume.geometry.size) {
    throw InputError(path, 0, workbench::said(QObject::tr("the label map's grid differs from the image's")),
                     workbench::said(QObject::tr("Open its image first.")));
  }
  return {.set = contours::contours_of(map, 2, progress.part(0.3, 1)), .warnings = {}};
}

/// The labels and contours of `more` after those of `set`, under values that are free.
contours::ContourSet joined(contours::ContourSet set, const contours::ContourSet& more) {
  std::map<int, int> values;
  for (contours::Label label : more.labels()) {
    const int before = label.value;
    if (set.label(before) != nullptr) label.value = set.unused_label_value();
    values[before] = label.value;
    set.put_label(std::move(label));
  }
  for (const auto& each : more.contours()) {
    contours::Contour contour = *each;
    contour.label = values.at(contour.label);
    set.add(std::move(contour));
  }
  return set;
}

void import(Workspace& workspace, const std::filesystem::path& path) {
  workspace.context().jobs.submit(
      workbench::said(QObject::tr("Read %1"), path.filename().string()), "livewire.import",
      [&workspace, path, image = workspace.model().image()](const jobs::Progress& progress) {
        auto read = read_contours(path, *image, progress);
        workspace.later([&workspace, image, read = std::move(read)] {
          if (image != workspace.model().image()) return;
          workspace.model().change(QObject::tr("Import"), joined(workspace.model().contours(), read.set));
          Remarks remarks;
          for (const auto& warning : read.warnings) remarks.warn(warning);
          workspace.show_remarks(remarks);
        });
      });
}

/// The current label against a label of the reference map.
void compare(Workspace& workspace, const std::filesystem::path& path, int theirs) {
  workspace.context().jobs.submit(
      workbench::said(QObject::tr("Compare with %1"), path.filename().string()), "livewire.compare",
      [&workspace, path, theirs, ours = workspace.model().current_label(), set = workspace.model().contours(),
       image = workspace.model().image()](const jobs::Progress& progress) {
        const auto reference = images::read_image(path, {}, progress.part(0, 0.3)).volume;
        const auto map = contours::label_map(set, image->volume.geometry, progress.part(0.3, 0.5));
        const auto found = contours::compare(map, ours, reference, theirs, progress.part(0.5, 1));
        const std::string text =
            QObject::tr("Dice %1, Jaccard %2, Hausdorff %3 mm (95th percentile %4 mm), mean distance %5 mm")
                .arg(found.dice, 0, 'f', 3)
                .arg(found.jaccard, 0, 'f', 3)
                .arg(found.hausdorff_mm, 0, 'f', 2)
                .arg(found.hausdorff_95_mm, 0, 'f', 2)
                .arg(found.mean_distance_mm, 0, 'f', 2)
                .toStdString();
        commands::report({{"dice", found.dice},
                          {"jaccard", found.jaccard},
                          {"hausdorff_mm", found.hausdorff_mm},
                          {"hausdorff_95_mm", found.hausdorff_95_mm},
                          {"mean_distance_mm", found.mean_distance_mm}});
        workspace.later([&workspace, text, image] {
          if (image == workspace.model().image())
            workspace.context().show_status(QString::fromStdString(text));
        });
      });
}

}  // namespace

void add_file_commands(Workspace& workspace) {
  auto& commands = workspace.context().commands;
  const auto add = [&](const char* name, commands::Action run) {
    commands.bind(name, std::move(run), [&workspace] { return workspace.without_image(); });
  };
  add("livewire.contours.save", [&](const Arguments& arguments) { save(workspace, arguments.text("path")); });
  add("livewire.contours.open", [&](const Arguments& arguments) { open(workspace, arguments.text("path")); });
  add("livewire.contours.import",
      [&](const Arguments& arguments) { import(workspace, arguments.text("path")); });
  add("livewire.contours.delete-all", [&](const Arguments&) {
    contours::ContourSet next = workspace.model().contours();
    for (const auto& each : workspace.model().contours().contours()) {
      if (!workspace.model().locked(*each)) next.remove(each->id);
    }
    workspace.model().change(QObject::tr("Delete all contours"), std::move(next));
  });
  add("livewire.reference.compare", [&](const Arguments& arguments) {
    compare(workspace, arguments.text("path"), arguments.integer("label"));
  });
  add("livewire.image.anonymise",
      [&](const Arguments& arguments) { anonymise(workspace, arguments.text("folder")); });
  commands.bind("livewire.image.open-series", [&](const Arguments& arguments) {
    workspace.open(arguments.text("folder"), arguments.text("uid"));
  });
}

}  // namespace isolume::labs::livewire
