#include "app/workbench/exports/export_movie_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QToolButton>

#include "moc_export_movie_dialog.cpp"

#include "app/pictures/movie_limits.h"
#include "app/pictures/movie_writer.h"
#include "app/scene/drawing/text_style.h"
#include "app/workbench/commands/window_command_parts.h"
#include "app/workbench/contract/lab.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/parameters/number_box.h"

namespace isolume::workbench {
namespace {

constexpr const char* size_key = "movie/size";
constexpr const char* rate_key = "movie/rate";
constexpr QSize usual_size(1280, 720);
constexpr int usual_rate = 30;
constexpr double largest_value = 1e12;

QDoubleSpinBox* number_box() {
  auto* box = new NumberBox(false);
  box->setRange(-largest_value, largest_value);
  return box;
}

}  // namespace

ExportMovieDialog::ExportMovieDialog(Lab& lab, std::function<void(std::vector<std::string> arguments)> accept,
                                     const QString& name, QWidget* parent)
    : QDialog(parent),
      lab_(lab),
      path_(new QLineEdit),
      over_(new QComboBox),
      parameter_(new QComboBox),
      from_(number_box()),
      to_(number_box()),
      seconds_(new QDoubleSpinBox),
      rate_(new QSpinBox),
      width_(new QSpinBox),
      height_(new QSpinBox),
      summary_(new QLabel),
      form_(new QFormLayout(this)) {
  setObjectName("export-movie-dialog");
  setWindowTitle(tr("Export movie"));
  setAttribute(Qt::WA_DeleteOnClose);
  fill_choices();
  const QSettings settings;
  const QString folder = first_folder(*parent, export_folder_key, Wanted::new_file);
  path_->setText(QDir(folder).filePath(name + ".mp4"));
  path_->setSelection(static_cast<int>(path_->text().size() - name.size()) - 4,
                      static_cast<int>(name.size()));
  path_->setMinimumWidth(36 * fontMetrics().averageCharWidth());
  const QSize size = settings.value(size_key, usual_size).toSize();
  for (QSpinBox* box : {width_, height_}) {
    box->setRange(2, pictures::largest_movie_side);
    box->setSingleStep(2);
    box->setSuffix(tr(" px"));
  }
  width_->setValue(size.width());
  height_->setValue(size.height());
  rate_->setRange(1, pictures::highest_movie_rate);
  rate_->setSuffix(tr(" frames/s"));
  rate_->setValue(settings.value(rate_key, usual_rate).toInt());
  seconds_->setRange(0, pictures::longest_movie_seconds);
  seconds_->setSuffix(tr(" s"));
  lay_out(std::move(accept));
  choose();
  connect(path_, &QLineEdit::textChanged, this, &ExportMovieDialog::tell);
  connect(over_, &QComboBox::currentIndexChanged, this, &ExportMovieDialog::choose);
  connect(parameter_, &QComboBox::currentIndexChanged, this, &ExportMovieDialog::choose_parameter);
  for (QDoubleSpinBox* box : {from_, to_, seconds_})
    connect(box, &QDoubleSpinBox::valueChanged, this, &ExportMovieDialog::tell);
  for (QSpinBox* box : {rate_, width_, height_})
    connect(box, &QSpinBox::valueChanged, this, &ExportMovieDialog::tell);
}

/// Fills in the subjects that the lab has.
void ExportMovieDialog::fill_choices() {
  if (const auto passage = lab_.passage()) over_->addItem(passage->name, "time");
  if (lab_.has_camera()) over_->addItem(tr("Turn of the camera"), "turn");
  for (const std::string& key : sweepable_parameters(lab_)) {
    const auto description = translated(lab_.parameters()->description(key));
    parameter_->addItem(QString::fromStdString(description.label), QString::fromStdString(key));
  }
  if (parameter_->count() > 0) over_->addItem(tr("Parameter"), "parameter");
}

void ExportMovieDialog::lay_out(std::function<void(std::vector<std::string> arguments)> accept) {
  auto* browse_button = new QToolButton;
  browse_button->setText(tr("..."));
  browse_button->setAccessibleName(tr("Choose the file"));
  connect(browse_button, &QToolButton::clicked, this, &ExportMovieDialog::browse);
  auto* path_row = new QHBoxLayout;
  path_row->addWidget(path_);
  path_row->addWidget(browse_button);
  auto* file = new QLabel(tr("&File"));
  file->setBuddy(path_);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel);
  save_ = buttons->button(QDialogButtonBox::Save);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(buttons, &QDialogButtonBox::accepted, this, [this, accept = std::move(accept)] {
    remember();
    const auto chosen = words_of(request());
    close();
    accept(chosen);
  });
  form_->addRow(file, path_row);
  form_->addRow(tr("What &changes"), over_);
  form_->addRow(tr("&Parameter"), parameter_);
  form_->addRow(tr("F&rom"), from_);
  form_->addRow(tr("&To"), to_);
  form_->addRow(tr("&Length"), seconds_);
  form_->addRow(tr("Frame r&ate"), rate_);
  form_->addRow(tr("&Width"), width_);
  form_->addRow(tr("&Height"), height_);
  summary_->setObjectName("movie.summary");
  summary_->setWordWrap(true);
  form_->addRow(summary_);
  form_->addRow(buttons);
}

std::string ExportMovieDialog::over() const {
  return over_->currentData().toString().toStdString();
}

/// Sets defaults that suit the lab.
void ExportMovieDialog::choose() {
  const bool of_parameter = over() == "parameter";
  parameter_->setVisible(of_parameter);
  form_->labelForField(parameter_)->setVisible(of_parameter);
  choose_parameter();
}

void ExportMovieDialog::choose_parameter() {
  QString unit;
  if (over() == "turn") unit = QStringLiteral("°");
  if (const auto passage = lab_.passage(); passage && over() == "time") unit = passage->unit;
  std::vector<std::string> settings;
  if (over() == "parameter") {
    settings.push_back("name=" + parameter_->currentData().toString().toStdString());
    const auto description = lab_.parameters()->description(settings.front().substr(5));
    unit = QString::fromStdString(scene::pretty_unit(description.unit));
  }
  for (QDoubleSpinBox* box : {from_, to_}) box->setSuffix(unit.isEmpty() ? QString() : " " + unit);
  QString why;
  try {
    const MovieRequest suggested = movie_request(lab_, "isolume.webm", over(), settings);
    from_->setValue(suggested.from);
    to_->setValue(suggested.to);
    seconds_->setValue(suggested.seconds);
  } catch (const Error& error) {  // it has no range of its own
    why = QString::fromUtf8(error.what());
    from_->setValue(0);
    to_->setValue(1);
    seconds_->setValue(sweep_seconds);
  }
  tell();
  if (!why.isEmpty()) summary_->setText(why);
}

MovieRequest ExportMovieDialog::request() const {
  MovieRequest request{.path = path_->text().toStdString(), .parameter = {}};
  request.over = over() == "turn"        ? MovieRequest::Over::turn
                 : over() == "parameter" ? MovieRequest::Over::parameter
                                         : MovieRequest::Over::time;
  if (over() == "parameter") request.parameter = parameter_->currentData().toString().toStdString();
  request.from = from_->value();
  request.to = to_->value();
  request.seconds = seconds_->value();
  request.frames_per_second = rate_->value();
  request.width = width_->value();
  request.height = height_->value();
  return request;
}

/// Describes the resulting movie, or why it cannot be made.
void ExportMovieDialog::tell() {
  const MovieRequest asked = request();
  QString text;
  bool possible = false;
  try {
    pictures::check_movie(asked.path, {asked.width, asked.height, asked.frames_per_second});
    text =
        tr("%n frames, %1", "", asked.frames()).arg(QString::fromStdString(pictures::codec_of(asked.path)));
    possible = over_->count() > 0;
  } catch (const Error& error) {
    text = QString::fromUtf8(error.what());
  }
  summary_->setText(text);
  save_->setEnabled(possible);
}

void ExportMovieDialog::remember() const {
  QSettings settings;
  remember_folder(export_folder_key, path_->text());
  settings.setValue(size_key, QSize(width_->value(), height_->value()));
  settings.setValue(rate_key, rate_->value());
}

void ExportMovieDialog::browse() {
  auto* dialog = new QFileDialog(this, tr("Export movie"), QFileInfo(path_->text()).path(),
                                 tr("MP4 (*.mp4);;WebM (*.webm)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix("mp4");
  connect(dialog, &QFileDialog::fileSelected, path_, &QLineEdit::setText);
  dialog->open();
}

}  // namespace isolume::workbench
