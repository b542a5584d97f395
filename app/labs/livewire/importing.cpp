#include "app/labs/livewire/importing.h"

#include <QAbstractButton>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <memory>
#include <string>
#include <utility>

#include "app/labs/livewire/import_contours.h"
#include "app/labs/livewire/views.h"
#include "app/labs/livewire/workspace.h"
#include "app/workbench/translated.h"

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
};

/// The label that every image begins with gives way to those of the file.
contours::ContourSet without_first_label(const contours::ContourSet& set) {
  const bool untouched = set.contours().empty() && set.labels().size() == 1 &&
                         set.labels()[0].name == QObject::tr("Label 1").toStdString();
  return untouched ? contours::ContourSet{} : set;
}

void put_import(Workspace& workspace, Import& import, const dicom::ReadContours& read, Remarks remarks) {
  remarks.add(read.remarks);
  import.after = joined(without_first_label(import.before), read.set, remarks);
  workspace.model().change(QObject::tr("Import"), import.after, import.merge);
  workspace.show_remarks(remarks);
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
                QObject::tr("The contours have changed meanwhile. Undo the import and repeat it."));
            return;
          }
          put_import(workspace, import, read, {});
        });
      });
}

void ask_about_nested(Workspace& workspace, const Import& import) {
  auto* box = new QMessageBox(&workspace.views());
  box->setObjectName("nested-contours");
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setIcon(QMessageBox::Question);
  box->setWindowTitle(QObject::tr("Contours within contours"));
  box->setText(
      QObject::tr("%n contour(s) of %1 lie within others of the same region of interest.", "", import.nested)
          .arg(QString::fromStdString(import.path.filename().string())));
  box->setInformativeText(QObject::tr(
      "Some programs write holes like that, others parts that are filled anyway. The answer is kept for "
      "further files."));
  const auto* holes = box->addButton(QObject::tr("Cut out as holes"), QMessageBox::AcceptRole);
  const auto* filled = box->addButton(QObject::tr("Keep filled"), QMessageBox::RejectRole);
  QObject::connect(
      box, &QMessageBox::buttonClicked, &workspace,
      [&workspace, import, holes, filled](const QAbstractButton* button) {
        if (button != holes && button != filled) return;
        const Nested chosen = button == holes ? Nested::holes : Nested::filled;
        QSettings().setValue(nested_setting, word_of(chosen));
        workspace.note("livewire.contours.import", {import.path.string(), word_of(chosen)}, true);
        if (chosen == Nested::holes) cut_out(workspace, import);
      });
  box->open();
}

}  // namespace

void start_import(Workspace& workspace, const fs::path& path, std::optional<Nested> nested) {
  const auto remembered = nested ? std::nullopt : remembered_nested();
  workspace.context().jobs.submit(
      workbench::said(QObject::tr("Read %1"), path.filename().string()), {},
      [&workspace, path, nested, remembered,
       image = workspace.model().image()](const jobs::Progress& progress) {
        auto read = import_contours(path, *image, nested ? nested : remembered, progress);
        workspace.later([&workspace, path, nested, remembered, image, read = std::move(read)] {
          if (image != workspace.model().image()) return;
          Import import{path, image, workspace.model().contours(), {}, read.nested, next_merge()};
          Remarks remarks;
          if (read.nested > 0 && remembered) {
            const Nested other = *remembered == Nested::holes ? Nested::filled : Nested::holes;
            remarks.assumed(workbench::said(
                QObject::tr(
                    "Contours within contours are read as answered before; livewire.contours.import FILE %1 "
                    "reads them otherwise."),
                word_of(other)));
          }
          put_import(workspace, import, read, remarks);
          if (read.nested > 0 && !nested && !remembered) ask_about_nested(workspace, import);
        });
      });
}

void offer_import(Workspace& workspace, const std::vector<fs::path>& files) {
  if (files.empty()) return;
  std::vector<std::string> names;
  for (const auto& file : files) names.push_back(file.filename().string());
  auto* box = new QMessageBox(&workspace.views());
  box->setObjectName("offer-import");
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setIcon(QMessageBox::Question);
  box->setWindowTitle(QObject::tr("Contours beside the images"));
  box->setText(QObject::tr("%n structure set(s) or segmentation(s) lie beside these images: %1.", "",
                           static_cast<int>(files.size()))
                   .arg(QString::fromStdString(first_names(names))));
  const auto* all = box->addButton(QObject::tr("Import"), QMessageBox::AcceptRole);
  box->addButton(QObject::tr("Not now"), QMessageBox::RejectRole);
  QObject::connect(box, &QMessageBox::buttonClicked, &workspace,
                   [&workspace, files, all](const QAbstractButton* button) {
                     if (button != all) return;
                     for (const auto& file : files)
                       workspace.run("livewire.contours.import", {file.string()});
                   });
  box->open();
}

}  // namespace isolume::labs::livewire
