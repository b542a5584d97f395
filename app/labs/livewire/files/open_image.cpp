#include "app/labs/livewire/files/open_image.h"

#include <QDialog>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <utility>

#include "app/labs/livewire/files/auto_save.h"
#include "core/dicom/frames/series.h"
#include "core/image_files/read_image.h"
#include "core/images/window.h"

namespace isolume::labs::livewire {

namespace {

/// A mapped file would have to be read whole.
images::ValueRange values_of(const images::Document& image) {
  if (image.volume.file == nullptr) return images::value_range(image.volume);
  const auto window = images::first_window(image);
  return {window.centre - 2 * window.width, window.centre + 2 * window.width};
}

}  // namespace

OpenedImage open_image(const std::filesystem::path& path, const std::string& series_uid,
                       const jobs::Progress& progress) {
  OpenedImage opened;
  double listed = 0;
  if (std::filesystem::is_directory(path) && series_uid.empty()) {
    listed = 0.3;
    opened.series = dicom::list_series(path, progress.part(0, listed));
    if (opened.series.size() > 1) return opened;
  }
  opened.image = std::make_shared<const images::Document>(
      images::read_image(path, {.series_uid = series_uid}, progress.part(listed, 1)));
  opened.values = values_of(*opened.image);
  opened.remarks = opened.image->remarks;
  if (auto kept = kept_contours(*opened.image, opened.remarks)) opened.contours = std::move(*kept);
  opened.work = kept_work(*opened.image);
  return opened;
}

void ask_for_series(QWidget* parent, const std::vector<dicom::Series>& series,
                    std::function<void(const std::string& uid)> take) {
  auto* dialog = new QDialog(parent);
  dialog->setObjectName("series-dialog");
  dialog->setWindowTitle(QObject::tr("Choose a series"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  auto* table = new QTreeWidget;
  table->setObjectName("series");
  table->setRootIsDecorated(false);
  table->setAlternatingRowColors(true);
  table->setHeaderLabels({QObject::tr("Modality"), QObject::tr("Description"), QObject::tr("Files"),
                          QObject::tr("Size (px)"), QObject::tr("Date"), QObject::tr("Patient")});
  for (const auto& each : series) {
    const auto text = [](const std::string& utf8) { return QString::fromStdString(utf8); };
    auto* row =
        new QTreeWidgetItem(table, {text(each.modality), text(each.description), QString::number(each.files),
                                    QString("%1 × %2").arg(each.columns).arg(each.rows),
                                    text(each.study_date), text(each.patient_name)});
    row->setData(0, Qt::UserRole, text(each.uid));
  }
  for (int i = 0; i < table->columnCount(); ++i) table->resizeColumnToContents(i);
  table->setCurrentItem(table->topLevelItem(0));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Open | QDialogButtonBox::Cancel);
  QObject::connect(buttons, &QDialogButtonBox::accepted, dialog, &QDialog::accept);
  QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
  QObject::connect(table, &QTreeWidget::itemActivated, dialog, &QDialog::accept);
  QObject::connect(dialog, &QDialog::accepted, dialog, [table, take = std::move(take)] {
    if (const auto* row = table->currentItem()) take(row->data(0, Qt::UserRole).toString().toStdString());
  });
  auto* column = new QVBoxLayout(dialog);
  column->addWidget(new QLabel(QObject::tr("The folder holds several series. Choose one.")));
  column->addWidget(table);
  column->addWidget(buttons);
  const int em = dialog->fontMetrics().height();
  dialog->resize(48 * em, 20 * em);
  dialog->open();
}

void offer_series(QWidget* parent, const dicom::Series& series, std::function<void()> take) {
  auto* dialog = new QMessageBox(parent);
  dialog->setObjectName("offer-series");
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(QObject::tr("A slice of a series"));
  dialog->setIcon(QMessageBox::Question);
  const QString name = QString::fromStdString(series.description);
  const int files = static_cast<int>(series.files);
  dialog->setText(
      name.isEmpty()
          ? QObject::tr("This file is one of a series of %n file(s) in its folder.", "", files)
          : QObject::tr("This file is one of %n file(s) of the series \u201c%1\u201d in its folder.", "",
                        files)
                .arg(name));
  const auto* whole = dialog->addButton(QObject::tr("Open the series"), QMessageBox::AcceptRole);
  dialog->addButton(QObject::tr("Keep this slice"), QMessageBox::RejectRole);
  QObject::connect(dialog, &QMessageBox::buttonClicked, dialog,
                   [whole, take = std::move(take)](const QAbstractButton* button) {
                     if (button == whole) take();
                   });
  dialog->open();
}

}  // namespace isolume::labs::livewire
