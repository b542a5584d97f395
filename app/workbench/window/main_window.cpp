#include "app/workbench/window/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QCoreApplication>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QLabel>
#include <QMimeData>
#include <QPointer>
#include <QScreen>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "app/scene/cameras/camera.h"
#include "app/scene/view/view_widget.h"
#include "app/workbench/commands/command_actions.h"
#include "app/workbench/commands/command_palette.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/devices/devices_panel.h"
#include "app/workbench/documents/document_tabs.h"
#include "app/workbench/documents/recent_files.h"
#include "app/workbench/look/icons.h"
#include "app/workbench/parameters/field_keys.h"
#include "app/workbench/parameters/parameter_panel.h"
#include "app/workbench/parameters/typed_text.h"
#include "app/workbench/window/banner.h"
#include "app/workbench/window/job_indicator.h"
#include "app/workbench/window/log_panel.h"
#include "app/workbench/window/session_keeper.h"
#include "app/workbench/window/welcome_page.h"
#include "app/workbench/window/window_commands.h"
#include "core/base/error_text.h"
#include "core/base/logging.h"

namespace isolume::workbench {
namespace {

constexpr const char* geometry_key = "window/geometry";
constexpr const char* theme_key = "view/theme";

/// The first local file of a drag, or empty.
QString dragged_file(const QMimeData& data) {
  for (const QUrl& url : data.urls()) {
    if (url.isLocalFile()) return url.toLocalFile();
  }
  return {};
}

}  // namespace

MainWindow::MainWindow(std::vector<LabEntry> labs, FindDevices find_devices, QWidget* parent)
    : QMainWindow(parent),
      commands_([this](std::function<void()> call) { call_later(std::move(call)); }),
      starting_(std::make_shared<jobs::Activity>([this](const auto& outcome) {
        call_later([this, outcome] {
          if (started_) started_(outcome);
        });
      })),
      jobs_(std::make_unique<jobs::JobRunner>()) {
  setObjectName("main-window");
  setWindowIcon(icon("isolume"));
  setAcceptDrops(true);
  setDockNestingEnabled(true);
  // Tables and sliders at the sides need their height more than the log needs its width.
  setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
  setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
  const QRect all = screen()->availableGeometry();
  const QRect room = all.adjusted(8, 40, -8, -8);  // without a window manager's frame, approximately
  resize(QSize(1280, 840).boundedTo(room.size()));
  restoreGeometry(QSettings().value(geometry_key).toByteArray());
  if (!all.contains(geometry()) && !isMaximized() && !isFullScreen()) {  // it was saved on a larger screen
    QRect inside(pos(), size().boundedTo(room.size()));
    inside.moveRight(std::min(inside.right(), room.right()));
    inside.moveBottom(std::min(inside.bottom(), room.bottom()));
    inside.moveLeft(std::max(inside.left(), room.left()));
    inside.moveTop(std::max(inside.top(), room.top()));
    setGeometry(inside);
  }
  for (LabEntry& entry : labs) labs_.push_back(std::make_unique<HostedLab>(std::move(entry)));

  make_central();
  make_status_bar();
  sessions_ = std::make_unique<SessionKeeper>(*this);
  add_window_commands(*this);
  actions_ = std::make_unique<CommandActions>(
      commands_, [this](const std::string& line) { start(line); }, *this);
  palette_ = new CommandPalette(
      commands_, [this] { return hidden_labs(); }, [this](const std::string& line) { run(line); }, this);
  new FieldKeys(*this, *palette_, [this] { return keyboard_view(); });
  make_common_docks();
  shown_ = labs_.front().get();
  make_first(*shown_);
  make_menus();
  make_tool_bar();
  restore_theme();
  show_shown_lab();

  watch_jobs();
  connect(&undo_, &QUndoGroup::indexChanged, this, [this] {
    show_parameters();
    refresh_soon();
    sessions_->keep_soon();
  });
  connect(this, &MainWindow::document_opened, sessions_.get(), &SessionKeeper::keep_soon);
  const jobs::Activity::Scope starting(starting_);
  sessions_->look_for_left();
  jobs_->submit(said(QObject::tr("Look for devices")), "devices",
                [this, find_devices = std::move(find_devices)](const jobs::Progress&) {
                  run_soon([this, found = find_devices()] { take_devices(found); });
                });
}

MainWindow::~MainWindow() {
  abandon_typing(*this);
  for (const jobs::JobStatus& job : jobs_->active()) jobs_->cancel(job.id);
  jobs_->wait_idle();
  sessions_->finish();
  disconnect(&undo_, nullptr, this, nullptr);
  for (QDockWidget* dock : all_docks()) disconnect(dock, nullptr, this, nullptr);
  for (const auto& hosted : labs_) {
    for (const auto& document : hosted->documents) unmake(*document);
  }
  for (const auto& document : retired_) unmake(*document);
  // Queued calls hold activities, whose ends call this window.
  QCoreApplication::removePostedEvents(this);
}

void MainWindow::make_central() {
  std::vector<const LabDescription*> described;
  for (const auto& hosted : labs_) described.push_back(&hosted->entry.description);
  welcome_ = new WelcomePage(described, [this](const std::string& line) { run(line); });
  pages_ = new QStackedWidget;
  pages_->addWidget(welcome_);
  pages_->setMinimumSize(300, 260);  // panels fold and scroll; a narrower view would be useless
  error_ = new Banner(Banner::Kind::error);
  warning_ = new Banner(Banner::Kind::warning);
  connect(warning_, &Banner::offer_taken, this, [this] { run(document().offer_command); });
  tabs_ = new DocumentTabs;
  connect(tabs_, &DocumentTabs::chosen, this,
          [this](int number) { run("document.show", {std::to_string(number)}); });
  connect(tabs_, &DocumentTabs::close_wanted, this,
          [this](int number) { run("document.close", {std::to_string(number)}); });
  auto* central = new QWidget;
  auto* column = new QVBoxLayout(central);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(error_);
  column->addWidget(warning_);
  column->addWidget(tabs_);
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

void MainWindow::call_later(std::function<void()> call) {
  QMetaObject::invokeMethod(this, std::move(call), Qt::QueuedConnection);
}

void MainWindow::run_soon(std::function<void()> action) {
  call_later(jobs::on_behalf([this, action = std::move(action)] {
    try {
      action();
    } catch (const std::exception& error) {
      // The result of a job could not be used: for its caller, the job has failed.
      const std::string why = isolume::error_text(error);
      log::error("{}", why);
      if (const auto& activity = jobs::Activity::current()) activity->fail(why);
      tell_failure(QString::fromStdString(why));
    }
  }));
}

/// The widget on which keys act: the view, or the one that the lab's own page names.
QWidget* MainWindow::keyboard_view() const {
  const HostedDocument& shown = document();
  if (QWidget* named = shown.page->focusProxy()) return named;
  return shown.page->isAncestorOf(shown.view) ? shown.view : shown.page;
}

void MainWindow::show_parameters() {
  parameters_->show_parameters(lab().parameters());
}

bool MainWindow::run(const std::string& line) {
  try {
    const std::vector<std::string> words = commands::split(line);
    if (words.empty()) throw Error(said(QObject::tr("The command line is empty.")));
    return run(words.front(), {words.begin() + 1, words.end()});
  } catch (const Error& error) {
    show_error(QString::fromStdString(isolume::error_text(error)));
    return false;
  }
}

bool MainWindow::run(const std::string& name, const std::vector<std::string>& arguments) {
  const bool succeeded = perform(name, arguments);
  refresh();
  return succeeded;
}

/// The same for the editors of parameters, whose sliders call it many times a second.
bool MainWindow::run_tick(const std::string& name, const std::vector<std::string>& arguments) {
  refresh_soon();
  return perform(name, arguments);
}

bool MainWindow::perform(const std::string& name, const std::vector<std::string>& arguments) {
  QString failure;
  HostedDocument* const before = &document();
  before->statuses_before = before->statuses;
  expect_status_of(name);
  try {
    const auto& out_of_reach = commands_.part(name).out_of_reach;
    if (const std::string why = out_of_reach ? out_of_reach() : ""; !why.empty())
      throw Error(said(QObject::tr("%1 is not available now: %2"), name, why));
    commands_.run(name, arguments);
  } catch (const std::exception& error) {
    failure = QString::fromStdString(isolume::error_text(error));
    log::error("{}", failure.toStdString());
  }
  const bool stays = &document() == before;  // otherwise it may have been closed
  if (stays) before->statuses_before = before->statuses;
  if (stays && !failure.isEmpty()) before->status_of_file = HostedDocument::OfFile::no;
  if (failure.isEmpty()) {
    if (stays) show_error({});
    return true;
  }
  show_parameters();  // resets editors with a refused value
  show_error(failure);
  return false;
}

void MainWindow::run_and_wait(const std::string& line, CommandRegistry::Then then) {
  for (const auto& hosted : labs_) {
    if (line.starts_with(hosted->name() + ".") && shown_ != hosted.get()) show_lab(hosted->name());
  }
  document().statuses_before = document().statuses;
  expect_status_of(line.substr(0, line.find(' ')));
  commands_.start(line, [this, then = std::move(then), before = errors_](const jobs::Outcome& outcome) {
    document().statuses_before = document().statuses;
    if (!outcome.error.empty()) document().status_of_file = HostedDocument::OfFile::no;
    refresh();
    // An error that the command has not failed with stays: that of a restored picture.
    if (!outcome.error.empty() || errors_ == before) show_error(QString::fromStdString(outcome.error));
    if (!outcome.error.empty()) show_parameters();
    then(outcome);
  });
}

void MainWindow::run_at_start(const std::string& name, const std::vector<std::string>& arguments) {
  const jobs::Activity::Scope starting(starting_);
  run(name, arguments);
}

void MainWindow::run_script(std::vector<commands::ScriptLine> lines,
                            std::function<void(const std::string& error)> finished) {
  const auto begin = [this, lines = std::move(lines), finished] {
    commands::run_script(
        lines, [this](const std::string& line, auto then) { run_and_wait(line, std::move(then)); }, finished);
  };
  if (!starting_) return call_later(begin);
  started_ = [begin, finished](const jobs::Outcome& outcome) {
    outcome.error.empty() ? begin() : finished(outcome.error);
  };
  starting_.reset();
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
  show_error(document(), text);
}

void MainWindow::show_error(HostedDocument& document, const QString& text, const std::string& channel) {
  document.error = text;
  document.error_channel = channel;
  if (!text.isEmpty()) ++errors_;
  if (&this->document() == &document) error_->set_text(text);
}

/// The document of the job. Failures to open a document concern the shown one, from which it was requested.
HostedDocument& MainWindow::concerned_by(const jobs::JobStatus& job) const {
  for (const auto& hosted : labs_) {
    for (const auto& document : hosted->documents) {
      if (document->jobs.part() == job.part && document.get() != opening_) return *document;
    }
  }
  return document();
}

QString MainWindow::error_text() const {
  return error_->text();
}

void MainWindow::open_palette(const QString& text) {
  palette_->ask(text);
}

void MainWindow::lead_to_parameter(const std::string& key) {
  const parameters::ParameterSet& set = *lab().parameters();
  const parameters::Description description = translated(set.description(key));
  common_docks_.front()->show();
  common_docks_.front()->raise();
  if (parameters_->lead_to(key)) return;
  parameters_->lead_to(description.relevant_when.key);
  const std::string other = translated(set.description(description.relevant_when.key)).label;
  constexpr int milliseconds_shown = 8000;
  statusBar()->showMessage(tr("%1 depends on %2: change that first.")
                               .arg(QString::fromStdString(description.label), QString::fromStdString(other)),
                           milliseconds_shown);
}

void MainWindow::set_theme(Theme theme) {
  theme_ = theme;
  apply_theme(theme);
  QSettings().setValue(theme_key, QString::fromStdString(theme_name(theme)));
  show_recent_files();  // links keep the colour in which they were created
  for (Lab* lab : made_labs()) lab->theme_changed(dark_theme());
}

void MainWindow::show_devices() {
  devices_panel_->refresh();
}

void MainWindow::watch_jobs() {
  jobs_->observe([this](const jobs::JobStatus& status) {
    call_later(jobs::on_behalf([this, status] { take_job(status); }));
  });
}

void MainWindow::take_job(const jobs::JobStatus& status) {
  job_->take(status);
  if (status.state != jobs::JobState::running) refresh_soon();
  const bool retired =
      std::ranges::any_of(retired_, [&](const auto& each) { return each->jobs.part() == status.part; });
  if (retired) return end_retired();
  HostedDocument& document = concerned_by(status);
  const bool succeeded = status.state == jobs::JobState::finished && !status.channel.empty();
  if (succeeded && status.channel == document.error_channel) show_error(document, {});
  if (status.state != jobs::JobState::failed) return;
  const QString message = QString::fromStdString(status.error);
  show_error(document, message, status.channel);
  document.status_of_file = HostedDocument::OfFile::no;
  Q_EMIT job_failed(message);
}

void MainWindow::tell_failure(const QString& message) {
  show_error(message);
  Q_EMIT job_failed(message);
}

void MainWindow::take_devices(const std::shared_ptr<dispatch::DevicePool>& devices) {
  devices_ = devices;
  devices_panel_->show_devices(devices);
  for (Lab* lab : made_labs()) lab->devices_found(devices);
  refresh_soon();
}

void MainWindow::restore_theme() {
  const QSettings settings;
  try {
    set_theme(theme_named(settings.value(theme_key, "system").toString().toStdString()));
  } catch (const Error&) {
    set_theme(Theme::system);  // the settings were written by another version
  }
}

void MainWindow::refresh() {
  refresh_is_due_ = false;
  actions_->refresh();
}

/// Once for all that happens until the event loop comes to it.
void MainWindow::refresh_soon() {
  if (std::exchange(refresh_is_due_, true)) return;
  call_later([this] {
    if (refresh_is_due_) refresh();
  });
}

/// A mouse movement in a view is one gesture: one step of undo, and for scripts one command, also if it has
/// rotated the camera.
bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
  auto* view = qobject_cast<scene::ViewWidget*>(watched);
  const bool begins = event->type() == QEvent::MouseButtonPress, turned = event->type() == QEvent::Wheel;
  if (view == nullptr || !(begins || turned || event->type() == QEvent::MouseButtonRelease))
    return QMainWindow::eventFilter(watched, event);
  if (begins) {
    history().begin_gesture();
    recorder_.begin_gesture();
  } else {
    call_later([this, view = QPointer(view)] {
      history().end_gesture();
      recorder_.end_gesture();
      if (view && recorder_.recording()) note_camera(*view);
    });
  }
  if ((begins || turned) && recorder_.recording()) camera_before_ = scene::camera_text(*view->renderer());
  return QMainWindow::eventFilter(watched, event);
}

void MainWindow::note_camera(scene::ViewWidget& view) {
  const std::vector<std::string> now{scene::camera_text(*view.renderer())};
  if (now.front() != camera_before_) commands_.note("view.camera", now, true);
}

void MainWindow::closeEvent(QCloseEvent* event) {
  abandon_typing(*this);
  QSettings settings;
  settings.setValue(geometry_key, saveGeometry());
  keep_layout();
  for (const auto& hosted : labs_) {
    if (hosted->front != nullptr) settings.setValue(hosted->layout_key(), hosted->layout);
  }
  for (const jobs::JobStatus& job : jobs_->active()) jobs_->cancel(job.id);
  sessions_->close();
  event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (!dragged_file(*event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  event->acceptProposedAction();
  std::vector<std::string> arguments{dragged_file(*event->mimeData()).toStdString()};
  if (event->modifiers().testFlag(Qt::ControlModifier)) arguments.emplace_back("beside");
  run("file.open", arguments);
}

}  // namespace isolume::workbench

#include "moc_main_window.cpp"
