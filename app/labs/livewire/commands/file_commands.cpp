// livewire.contours.*, livewire.reference.* and livewire.image.*
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "app/labs/livewire/files/contour_formats.h"
#include "app/labs/livewire/files/import_contours.h"
#include "app/labs/livewire/workspace/commands.h"
#include "app/labs/livewire/workspace/export_contours.h"
#include "app/labs/livewire/workspace/importing.h"
#include "app/labs/livewire/workspace/workspace.h"
#include "app/slices/linked_slices.h"
#include "app/slices/number_text.h"
#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/look/ask_for_file.h"
#include "core/base/error.h"
#include "core/base/remarks.h"
#include "core/contours/label_map.h"
#include "core/contours/measures.h"
#include "core/dicom/data/header.h"
#include "core/image_files/read_image.h"

namespace isolume::labs::livewire {
namespace {

using workbench::Wanted;

QString json_filter() {
  return QObject::tr("Contours (*.json)");
}

QString label_map_patterns() {
  return "*.nrrd *.nhdr *.nii *.nii.gz *.hdr *.mha *.mhd";
}

/// Asks for a path, and runs the command with it.
void ask(Workspace& workspace, const QString& title, const QString& filter, Wanted wanted,
         const std::string& command) {
  const bool is_new = wanted == Wanted::new_file;
  workbench::ask_and_run(
      workspace.context(), workspace, *workspace.views().window(),
      {title, filter, wanted,
       is_new ? QString::fromStdString(workspace.image().path.stem().string()) : QString()},
      command);
}

void save(Workspace& workspace, const std::filesystem::path& path) {
  workspace.drop_remarks();
  workspace.context().jobs.submit(
      workbench::said(QObject::tr("Write %1"), path.filename().string()), {},
      [&workspace, path,
       document = contours::ContourDocument{workspace.model().contours(), reference_of(workspace.image())}](
          const jobs::Progress&) {
        contours::write_contours(document, path);
        workspace.later([&workspace, path] { show_written(workspace, path); });
      });
}

void open(Workspace& workspace, const std::filesystem::path& path) {
  workspace.context().jobs.submit(
      workbench::said(QObject::tr("Read %1"), path.filename().string()), "livewire.import",
      [&workspace, path, image = workspace.model().image()](const jobs::Progress&) {
        auto read = open_contours(path, *image);
        workspace.later([&workspace, path, image, read = std::move(read)] {
          if (image != workspace.model().image()) return;
          workspace.model().change(QObject::tr("Open contours"), read.set, 0, read.remarks);
          show_count(workspace, read.set, path);
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
        const Remarks remarks = dicom::write_anonymised(files, folder, progress);
        if (remarks.empty()) return;
        workspace.later([&workspace, remarks] { workspace.show_remarks(remarks); });
      });
}

/// The current label against a label of the reference map.
void compare(Workspace& workspace, const std::filesystem::path& path, int theirs) {
  workspace.context().jobs.submit(
      workbench::said(QObject::tr("Compare with %1"), path.filename().string()), "livewire.compare",
      [&workspace, path, theirs, ours = workspace.model().current_label(), set = workspace.model().contours(),
       image = workspace.model().image()](const jobs::Progress& progress) {
        const auto reference = images::read_image(path, {}, progress.part(0, 0.3)).volume;
        auto alone = set;
        for (const auto& label : set.labels()) {
          if (label.value != ours) alone.remove_label(label.value);
        }
        const auto map = contours::label_map(alone, image->volume.geometry, progress.part(0.3, 0.5));
        const auto found = contours::compare(map, ours, reference, theirs, progress.part(0.5, 1));
        const std::string text =
            QObject::tr("Dice %1, Jaccard %2, Hausdorff %3 mm (95th percentile %4 mm), mean distance %5 mm")
                .arg(slices::shown_number(found.dice), slices::shown_number(found.jaccard),
                     slices::shown_number(found.hausdorff_mm), slices::shown_number(found.hausdorff_95_mm),
                     slices::shown_number(found.mean_distance_mm))
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
  const auto ask_to_open = [&workspace](const QString& title, const QString& filter, const char* command) {
    ask(workspace, title, filter, Wanted::file, command);
  };
  add("livewire.contours.save", [&](const Arguments& arguments) {
    if (arguments.has("path")) return save(workspace, arguments.text("path"));
    ask(workspace, QObject::tr("Save contours"), json_filter(), Wanted::new_file, "livewire.contours.save");
  });
  add("livewire.contours.open", [&workspace, ask_to_open](const Arguments& arguments) {
    if (arguments.has("path")) return open(workspace, arguments.text("path"));
    ask_to_open(QObject::tr("Open contours"), json_filter(), "livewire.contours.open");
  });
  add("livewire.contours.import", [&workspace, ask_to_open](const Arguments& arguments) {
    if (!arguments.has("path")) {
      return ask_to_open(
          QObject::tr("Import contours"),
          QObject::tr("Structure sets, segmentations, label maps, contours (%1 *.json);;All files (*)")
              .arg(label_map_patterns() + " *.dcm"),
          "livewire.contours.import");
    }
    std::optional<dicom::Nested> nested;
    if (arguments.has("nested")) {
      nested = arguments.text("nested") == "holes" ? dicom::Nested::holes : dicom::Nested::filled;
    }
    start_import(workspace, arguments.text("path"), nested);
  });
  add("livewire.contours.delete-all", [&](const Arguments&) {
    contours::ContourSet next = workspace.model().contours();
    for (const auto& each : workspace.model().contours().contours()) {
      if (!workspace.model().locked(*each)) next.remove(each->id);
    }
    workspace.tool().escape();
    workspace.model().change(QObject::tr("Delete all contours"), std::move(next));
  });
  add("livewire.reference.compare", [&workspace, ask_to_open](const Arguments& arguments) {
    if (!arguments.has("path")) {
      return ask_to_open(QObject::tr("Compare with reference"),
                         QObject::tr("Label maps (%1);;All files (*)").arg(label_map_patterns()),
                         "livewire.reference.compare");
    }
    compare(workspace, arguments.text("path"), arguments.integer("label"));
  });
  add("livewire.image.anonymise", [&](const Arguments& arguments) {
    if (arguments.has("folder")) return anonymise(workspace, arguments.text("folder"));
    ask(workspace, QObject::tr("Folder for the anonymised copy"), {}, Wanted::folder,
        "livewire.image.anonymise");
  });
  commands.bind("livewire.image.open-series", [&](const Arguments& arguments) {
    if (arguments.has("folder"))
      return workspace.open(arguments.text("folder"),
                            arguments.has("uid") ? arguments.text("uid") : std::string());
    ask(workspace, QObject::tr("Folder of the series"), {}, Wanted::folder, "livewire.image.open-series");
  });
}

}  // namespace isolume::labs::livewire
