#include "app/workbench/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QLabel>
#include <QMimeData>
#include <QScreen>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>

#include "app/scene/view_widget.h"
#include "app/workbench/banner.h"
#include "app/workbench/command_actions.h"
#include "app/workbench/command_palette.h"
#include "app/workbench/devices_panel.h"
#include "app/workbench/icons.h"
#include "app/workbench/job_indicator.h"
#include "app/workbench/log_panel.h"
#include "app/workbench/parameter_panel.h"
#include "app/workbench/recent_files.h"
#include "app/workbench/welcome_page.h"
#include "app/workbench/window_commands.h"
#include "core/base/logging.h"

namespace isolume::workbench {
namespace {

constexpr const char* geometry_key = "window/geometry";
constexpr const char* layout_key = "window/layout";
constexpr const char* theme_key = "view/theme";
constexpr int layout_version = 1;  // to be raised when docks change so that an old layout does not fit
constexpr int undo_steps = 1000;

/// The first local file that is dragged, or empty.
QString dragged_file(const QMimeData& data) {
  for (const QUrl& url : data.urls()) {
    if (url.isLocalFile()) return url.toLocalFile();
  }
  return {};
}

}  // namespace

MainWindow::MainWindow(const MakeLab& make_lab, FindDevices find_devices, QWidget* parent)
    : QMainWindow(parent), jobs_(std::make_unique<jobs::JobRunner>()) {
  setObjectName("main-window");
  setWindowTitle("Isolume");
  setWindowIcon(icon("isolume"));
  setAcceptDrops(true);
  setDockNestingEnabled(true);
  // Tables and sliders at the sides need their height more than the log needs its width.
  setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
  setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
  undo_.setUndoLimit(undo_steps);

  make_central();
  make_status_bar();
  context_ = std::make_unique<LabContext>(make_context());
  lab_ = make_lab(*context_);
  history_ = std::make_unique<ParameterHistory>(*lab_, undo_);
  add_window_commands(*this);
  actions_ = std::make_unique<CommandActions>(
      commands_, [this](const std::string& line) { start(line); }, *this);
  welcome_ = new WelcomePage(lab_->samples(), [this](const std::string& line) { run(line); });
  pages_->insertWidget(0, welcome_);
  make_docks();
  make_menus();
  make_tool_bar();
  palette_ = new CommandPalette(
      commands_, [this](const std::string& line) { run(line); }, this);

  watch_jobs();
  connect(&undo_, &QUndoStack::indexChanged, this, [this] {
    parameters_->show_parameters(lab_->parameters());
    refresh();
  });
  restore();
  jobs_->submit("Look for devices", "devices",
                [this, find_devices = std::move(find_devices)](const jobs::Progress&) {
                  context_->on_gui_thread([this, found = find_devices()] { take_devices(found); });
                });
}

MainWindow::~MainWindow() {
  for (const jobs::JobStatus& job : jobs_->active()) jobs_->cancel(job.id);
  jobs_->wait_idle();
  disconnect(&undo_, nullptr, this, nullptr);
  undo_.clear();
  for (QDockWidget* dock : docks_) delete dock;
  lab_.reset();
}

void MainWindow::make_central() {
  view_ = new scene::ViewWidget;
  view_->setAccessibleName(tr("View"));
  pages_ = new QStackedWidget;
  pages_->addWidget(view_);
  error_ = new Banner(Banner::Kind::error);
  warning_ = new Banner(Banner::Kind::warning);
  auto* central = new QWidget;
  auto* column = new QVBoxLayout(central);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(error_);
  column->addWidget(warning_);
  column->addWidget(pages_, 1);
  setCentralWidget(central);
}

void MainWindow::make_status_bar() {
  status_ = new QLabel;
  status_->setObjectName("status");
  status_->setTextFormat(Qt::PlainText);
  status_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  status_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  job_ = new JobIndicator;
  connect(job_, &JobIndicator::cancel_requested, this, [this] { run("job.cancel"); });
  statusBar()->addWidget(status_, 1);
  statusBar()->addPermanentWidget(job_);
}

LabContext MainWindow::make_context() {
  const auto on_gui_thread = [this](std::function<void()> action) {
    QMetaObject::invokeMethod(
        this,
        [this, action = std::move(action)] {
          try {
            action();
          } catch (const std::exception& error) {
            show_error(QString::fromUtf8(error.what()));
          }
        },
        Qt::QueuedConnection);
  };
  return {.commands = commands_,
          .jobs = *jobs_,
          .undo = undo_,
          .view = *view_,
          .on_gui_thread = on_gui_thread,
          .show_status = [this](const QString& text) { status_->setText(text); },
          .show_warning = [this](const QString& text) { warning_->set_text(text); },
          .document_opened = [this](const std::filesystem::path& path,
                                    const QString& title) { take_document(path, title); },
          .parameters_changed =
              [this] {
                parameters_->show_parameters(lab_->parameters());
                refresh();
              },
          .dark = [] { return dark_theme(); }};
}

bool MainWindow::run(const std::string& line) {
  try {
    const std::vector<std::string> words = CommandRegistry::split(line);
    if (words.empty()) throw Error("The command line is empty.");
    return run(words.front(), {words.begin() + 1, words.end()});
  } catch (const Error& error) {
    show_error(QString::fromUtf8(error.what()));
    Q_EMIT command_failed(QString::fromUtf8(error.what()));
    return false;
  }
}

bool MainWindow::run(const std::string& name, const std::vector<std::string>& arguments) {
  QString failure;
  try {
    commands_.run(name, arguments);
  } catch (const std::exception& error) {
    failure = QString::fromUtf8(error.what());
    log::error("{}", error.what());
  }
  refresh();
  if (failure.isEmpty()) return true;
  parameters_->show_parameters(lab_->parameters());  // a refused value must not stay in its editor
  show_error(failure);
  Q_EMIT command_failed(failure);
  return false;
}

void MainWindow::start(const std::string& line) {
  const Command* command = commands_.find(line);
  if (command != nullptr && command->needs_arguments()) {
    open_palette(QString::fromStdString(line) + " ");
  } else {
    run(line);
  }
}

void MainWindow::show_error(const QString& text) {
  error_->set_text(text);
}

QString MainWindow::error_text() const {
  return error_->text();
}

void MainWindow::open_file(const std::filesystem::path& path) {
  show_error({});
  lab_->open(path);
}

void MainWindow::open_palette(const QString& text) {
  palette_->ask(text);
}

void MainWindow::set_theme(Theme theme) {
  theme_ = theme;
  apply_theme(theme);
  QSettings().setValue(theme_key, QString::fromStdString(theme_name(theme)));
  show_recent_files();  // links keep the colour they were made with
  lab_->theme_changed(dark_theme());
}

void MainWindow::show_devices() {
  devices_panel_->refresh();
}

std::vector<QDockWidget*> MainWindow::docks() const {
  return docks_;
}

void MainWindow::watch_jobs() {
  jobs_->observe([this](const jobs::JobStatus& status) {
    QMetaObject::invokeMethod(
        this, [this, status] { take_job(status); }, Qt::QueuedConnection);
  });
}

void MainWindow::take_job(const jobs::JobStatus& status) {
  job_->take(status);
  if (status.state != jobs::JobState::running) refresh();
  if (status.state != jobs::JobState::failed) return;
  const QString message = QString::fromStdString(status.error);
  show_error(message);
  Q_EMIT job_failed(message);
}

void MainWindow::take_document(const std::filesystem::path& path, const QString& title) {
  undo_.clear();
  show_error({});
  add_recent_file(QString::fromStdString(path.string()));
  setWindowTitle(tr("%1 - Isolume").arg(title));
  show_recent_files();
  const bool first = !std::exchange(has_document_, true);
  parameters_->show_parameters(lab_->parameters());
  if (first) show_document_or_welcome();
  refresh();
  Q_EMIT document_opened();
}

/// The panels mean nothing before a document is open: they wait, and the welcome page has the room.
void MainWindow::show_document_or_welcome() {
  if (has_document_) {
    pages_->setCurrentWidget(view_);
    restoreState(layout_, layout_version);
    if (!QSettings().contains(layout_key)) QTimer::singleShot(0, this, &MainWindow::give_docks_room);
  } else {
    pages_->setCurrentWidget(welcome_);
    layout_ = saveState(layout_version);
    for (QDockWidget* dock : docks_) dock->hide();
  }
}

/// The first time: what a table of a few columns and a slider with its number need.
void MainWindow::give_docks_room() {
  const int wanted = 44 * fontMetrics().averageCharWidth();
  for (QDockWidget* dock : docks_) {
    const auto area = dockWidgetArea(dock);
    const bool at_side = area == Qt::LeftDockWidgetArea || area == Qt::RightDockWidgetArea;
    if (at_side) resizeDocks({dock}, {std::min(wanted, width() / 3)}, Qt::Horizontal);
  }
}

void MainWindow::take_devices(const std::shared_ptr<dispatch::DevicePool>& devices) {
  devices_ = devices;
  devices_panel_->show_devices(devices);
  lab_->devices_found(devices);
  refresh();
}

void MainWindow::restore() {
  const QSettings settings;
  constexpr QSize frame(16, 48);  // what window managers add, roughly
  resize(QSize(1280, 840).boundedTo(screen()->availableSize() - frame));
  restoreGeometry(settings.value(geometry_key).toByteArray());
  restoreState(settings.value(layout_key).toByteArray(), layout_version);
  show_document_or_welcome();
  try {
    set_theme(theme_named(settings.value(theme_key, "system").toString().toStdString()));
  } catch (const Error&) {
    set_theme(Theme::system);  // the settings were written by another version
  }
}

void MainWindow::refresh() {
  actions_->refresh();
}

void MainWindow::closeEvent(QCloseEvent* event) {
  QSettings settings;
  settings.setValue(geometry_key, saveGeometry());
  settings.setValue(layout_key, has_document_ ? saveState(layout_version) : layout_);
  for (const jobs::JobStatus& job : jobs_->active()) jobs_->cancel(job.id);
  event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (!dragged_file(*event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  event->acceptProposedAction();
  run("file.open", {dragged_file(*event->mimeData()).toStdString()});
}

}  // namespace isolume::workbench
