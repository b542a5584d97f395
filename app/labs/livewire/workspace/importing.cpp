#include "app/labs/livewire/workspace/importing.h"

#include <QAbstractButton>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <memory>
#include <string>
#include <utility>

#include "app/labs/livewire/files/import_contours.h"
#include "app/labs/livewire/workspace/workspace.h"
#include "app/slices/linked_slices.h"
#include "app/workbench/contract/translated.h"

namespace isolume::labs::livewire {
namespace {

namespace fs = std::filesystem;
using dicom::Nested;

const char* const nested_setting = "livewire/nested-contours";

const char* word_of(Nested nested) {
  return nested == Nested::holes ? "holes" : "filled";
}

std::optional<Nested> remembered_nested() {
  const QString word = QSettings().value(nested_setting).toString();
  for (const Nested each : {Nested::filled, Nested::holes}) {
    if (word == word_of(each)) return each;
  }
  return std::nullopt;
}

int next_merge() {
  static int last = 1 << 20;  // above the numbers of drags
  return ++last;
}

/// One import, and what it was added to.
struct Import {
  fs::path path;
  std::shared_ptr<const images::Document> image;
  contours::ContourSet before, after;
  int nested = 0, merge = 0;
  std::vector<fs::path> next;  ///< files that follow when this one is done
  Remarks said;                ///< of the files before
};

void import_first(Workspace& workspace, const std::vector<fs::path>& files, std::optional<Nested> nested,
                  const Remarks& said);

/// The label that every image begins with gives way to those of the file.
contours::ContourSet without_first_label(const contours::ContourSet& set) {
  const bool untouched = set.contours().empty() && set.labels().size() == 1 &&
                         set.labels()[0].name == QObject::tr("Label 1").toStdString();
  return untouched ? contours::ContourSet{} : set;
}

/// Returns all that has been said.
Remarks put_import(Workspace& workspace, Import& import, const dicom::ReadContours& read, Remarks remarks) {
  remarks.add(read.remarks);
  import.after = joined(without_first_label(import.before), read.set, remarks);
  Remarks all = import.said;
  all.add(remarks);
  workspace.model().change(QObject::tr("Import"), import.after, import.merge, all);
  show_count(workspace, read.set, import.path);
  return all;
}

/// One after the other: each is added to what the one before left, and asks before the next begins.
void go_on(Workspace& workspace, const std::vector<fs::path>& files, const Remarks& said) {
  if (files.empty()) return;
  workspace.note("livewire.contours.import", {files.front().string()});
  import_first(workspace, files, {}, said);
}

/// The same file again with holes, in the place of what is there.
void cut_out(Workspace& workspace, const Import& import) {
  workspace.context().jobs.submit(
      workbench::said(QObject::tr("Read %1"), import.path.filename().string()), "livewire.import",
      [&workspace, import](const jobs::Progress& progress) {
        auto read = import_contours(import.path, *import.image, Nested::holes, progress);
        workspace.later([&workspace, import = import, read = std::move(read)]() mutable {
          if (import.image != workspace.model().image()) return;
          if (workspace.model().contours().contours() != import.after.contours()) {
            workspace.context().show_status(
                QObject::tr("The contours have changed since the import. Undo the import and repeat it."));
            return go_on(workspace, import.next, import.said);
          }
          go_on(workspace, import.next, put_import(workspace, import, read, {}));
        });
      });
}

void ask_about_nested(Workspace& workspace, const Import& import, const Remarks& said) {
  auto* box = new QMessageBox(&workspace.views());
  box->setObjectName("nested-contours");
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setIcon(QMessageBox::Question);
  box->setWindowTitle(QObject::tr("Contours within contours"));
  box->setText(
      QObject::tr("%n contour(s) of %1 lie within others of the same region of interest.", "", import.nested)
          .arg(QString::fromStdString(import.path.filename().string())));
  box->setInformativeText(
      QObject::tr("Some programs write holes this way, others write filled parts. The answer is remembered "
                  "for other files."));
  const auto* holes = box->addButton(QObject::tr("Cut out as holes"), QMessageBox::AcceptRole);
  const auto* filled = box->addButton(QObject::tr("Keep filled"), QMessageBox::RejectRole);
  QObject::connect(
      box, &QMessageBox::buttonClicked, &workspace,
      [&workspace, import, said, holes, filled](const QAbstractButton* button) {
        if (button != holes && button != filled) return;
        const Nested chosen = button == holes ? Nested::holes : Nested::filled;
        QSettings().setValue(nested_setting, word_of(chosen));
        workspace.note("livewire.contours.import", {import.path.string(), word_of(chosen)}, true);
        if (chosen == Nested::holes) return cut_out(workspace, import);
        go_on(workspace, import.next, said);
      });
  box->open();
}

void import_first(Workspace& workspace, const std::vector<fs::path>& files, std::optional<Nested> nested,
                  const Remarks& said) {
  const fs::path path = files.front();
  const std::vector<fs::path> next(files.begin() + 1, files.end());
  const auto remembered = nested ? std::nullopt : remembered_nested();
  workspace.context().jobs.submit(
      workbench::said(QObject::tr("Read %1"), path.filename().string()), {},
      [&workspace, path, next, nested, remembered, said,
       image = workspace.model().image()](const jobs::Progress& progress) {
        dicom::ReadContours read;
        try {
          read = import_contours(path, *image, nested ? nested : remembered, progress);
        } catch (const Error&) {  // the others are read all the same
          workspace.later([&workspace, next, said, image] {
            if (image == workspace.model().image()) go_on(workspace, next, said);
          });
          throw;
        }
        workspace.later([&workspace, path, next, nested, remembered, said, image, read = std::move(read)] {
          if (image != workspace.model().image()) return;
          Import import{path, image, workspace.model().contours(), {}, read.nested, next_merge(), next, said};
          Remarks remarks;
          if (read.nested > 0 && remembered) {
            const Nested other = *remembered == Nested::holes ? Nested::filled : Nested::holes;
            remarks.assumed(
                workbench::said(QObject::tr("Contours within contours are read as chosen before. To change "
                                            "this, run livewire.contours.import FILE %1."),
                                word_of(other)));
          }
          const Remarks all = put_import(workspace, import, read, remarks);
          if (read.nested > 0 && !nested && !remembered) return ask_about_nested(workspace, import, all);
          go_on(workspace, next, all);
        });
      });
}

}  // namespace

void show_count(Workspace& workspace, const contours::ContourSet& read, const fs::path& path) {
  workspace.context().show_status(
      QObject::tr("%1: %n contour(s) imported", "", static_cast<int>(read.contours().size()))
          .arg(QString::fromStdString(path.filename().string())));
}

void start_import(Workspace& workspace, const fs::path& path, std::optional<Nested> nested) {
  import_first(workspace, {path}, nested, workspace.model().remarks());
}

void offer_import(Workspace& workspace, const std::vector<fs::path>& files) {
  if (files.empty()) return;
  std::vector<std::string> names;
  for (const auto& file : files) names.push_back(file.filename().string());
  auto* box = new QMessageBox(&workspace.views());
  box->setObjectName("offer-import");
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setIcon(QMessageBox::Question);
  box->setWindowTitle(QObject::tr("Contours of these images"));
  box->setText(QObject::tr("%n structure set(s) or segmentation(s) found in the folder of these images: %1.",
                           "", static_cast<int>(files.size()))
                   .arg(QString::fromStdString(first_names(names))));
  const auto* all = box->addButton(QObject::tr("Import"), QMessageBox::AcceptRole);
  box->addButton(QObject::tr("Not now"), QMessageBox::RejectRole);
  QObject::connect(box, &QMessageBox::buttonClicked, &workspace,
                   [&workspace, files, all](const QAbstractButton* button) {
                     if (button == all) go_on(workspace, files, workspace.model().remarks());
                   });
  box->open();
}

}  // namespace isolume::labs::livewire
