#include "app/workbench/exports/export_image_dialog.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QToolButton>
#include <optional>

#include "moc_export_image_dialog.cpp"
#include <fmt/format.h>

#include "app/workbench/commands/window_command_parts.h"
#include "app/workbench/contract/translated.h"
#include "core/base/error.h"
#include "core/base/number.h"

namespace isolume::workbench {
namespace {

constexpr int most_pixels = 16384;
constexpr int most_dpi = 2400;
constexpr double millimetres_per_inch = 25.4;
constexpr const char* size_key = "image/size";
constexpr const char* dpi_key = "image/dpi";
constexpr const char* transparent_key = "image/transparent";

constexpr QSize usual_size(1920, 1440);
constexpr int usual_dpi = 300;

}  // namespace

std::pair<int, int> parse_image_size(const std::string& text) {
  if (const auto size = parse_pixel_size(text, 1, most_pixels)) return *size;
  throw Error(said(QObject::tr("file.export-image: %1 is not valid. Give WIDTHxHEIGHT (1 to %2), "
                               "transparent, or dots per inch (1 to %3)."),
                   isolume::quoted(text), most_pixels, most_dpi));
}

ExportImageDialog::ExportImageDialog(std::function<void(std::vector<std::string> arguments)> accept,
                                     const QString& name, QWidget* parent)
    : QDialog(parent),
      path_(new QLineEdit),
      width_(new QSpinBox),
      height_(new QSpinBox),
      dpi_(new QSpinBox),
      transparent_(new QCheckBox(tr("Transparent background"))),
      print_size_(new QLabel) {
  setObjectName("export-image-dialog");
  setWindowTitle(tr("Export image"));
  setAttribute(Qt::WA_DeleteOnClose);
  const QSettings settings;
  const QSize size = settings.value(size_key, usual_size).toSize();
  const QString folder = first_folder(*parent, export_folder_key, Wanted::new_file);
  path_->setText(QDir(folder).filePath(name + ".png"));
  path_->setSelection(static_cast<int>(path_->text().size() - name.size()) - 4,
                      static_cast<int>(name.size()));
  path_->setMinimumWidth(36 * fontMetrics().averageCharWidth());
  for (QSpinBox* box : {width_, height_}) {
    box->setRange(1, most_pixels);
    box->setSuffix(tr(" px"));
  }
  width_->setValue(size.width());
  height_->setValue(size.height());
  dpi_->setRange(1, most_dpi);
  dpi_->setSuffix(tr(" dpi"));
  dpi_->setValue(settings.value(dpi_key, usual_dpi).toInt());
  transparent_->setChecked(settings.value(transparent_key, false).toBool());
  for (QSpinBox* box : {width_, height_, dpi_}) {
    connect(box, &QSpinBox::valueChanged, this, &ExportImageDialog::show_print_size);
  }

  auto* browse_button = new QToolButton;
  browse_button->setText(tr("..."));
  browse_button->setAccessibleName(tr("Choose the file"));
  connect(browse_button, &QToolButton::clicked, this, &ExportImageDialog::browse);
  auto* path_row = new QHBoxLayout;
  path_row->addWidget(path_);
  path_row->addWidget(browse_button);

  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(buttons, &QDialogButtonBox::accepted, this, [this, accept = std::move(accept)] {
    remember();
    const auto chosen = arguments();
    close();
    accept(chosen);
  });
  auto* form = new QFormLayout(this);
  auto* file = new QLabel(tr("&File"));
  file->setBuddy(path_);
  form->addRow(file, path_row);
  form->addRow(tr("&Width"), width_);
  form->addRow(tr("&Height"), height_);
  form->addRow(tr("&Resolution"), dpi_);
  form->addRow(tr("Printed size"), print_size_);
  form->addRow(transparent_);
  form->addRow(buttons);
  show_print_size();
}

void ExportImageDialog::remember() const {
  QSettings settings;
  remember_folder(export_folder_key, path_->text());
  settings.setValue(size_key, QSize(width_->value(), height_->value()));
  settings.setValue(dpi_key, dpi_->value());
  settings.setValue(transparent_key, transparent_->isChecked());
}

std::vector<std::string> ExportImageDialog::arguments() const {
  const bool has_suffix = !QFileInfo(path_->text()).suffix().isEmpty();
  std::vector<std::string> words{(path_->text() + (has_suffix ? "" : ".png")).toStdString(),
                                 fmt::format("{}x{}", width_->value(), height_->value())};
  if (transparent_->isChecked()) words.emplace_back("transparent");
  words.push_back(std::to_string(dpi_->value()));
  return words;
}

void ExportImageDialog::browse() {
  auto* dialog =
      new QFileDialog(this, tr("Export image"), QFileInfo(path_->text()).path(), tr("PNG images (*.png)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix("png");
  connect(dialog, &QFileDialog::fileSelected, path_, &QLineEdit::setText);
  dialog->open();
}

void ExportImageDialog::show_print_size() {
  const double scale = millimetres_per_inch / dpi_->value();
  print_size_->setText(
      tr("%1 mm × %2 mm").arg(width_->value() * scale, 0, 'f', 0).arg(height_->value() * scale, 0, 'f', 0));
}

}  // namespace isolume::workbench
