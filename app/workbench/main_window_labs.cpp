// How the main window hosts labs: making them, showing one of them, and what is kept of the others.
#include <QDockWidget>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QSettings>
#include <QStackedWidget>
#include <QTimer>
#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "app/scene/view_widget.h"
#include "app/workbench/banner.h"
#include "app/workbench/command_actions.h"
#include "app/workbench/main_window.h"
#include "app/workbench/mnemonics.h"
#include "app/workbench/recent_files.h"
#include "app/workbench/session_keeper.h"
#include "app/workbench/theme.h"
#include "app/workbench/translated.h"
#include "app/workbench/welcome_page.h"
#include "app/workbench/window_command_parts.h"

namespace isolume::workbench {
namespace {

constexpr int undo_steps = 1000;
constexpr std::size_t most_lines = 20;  ///< of a menu before it is parted; letters to underline run short

std::set<std::string> names_of(const CommandRegistry& commands) {
  std::set<std::string> names;
  for (const Command* command : commands.all()) names.insert(command->name);
  return names;
}

/// "slice" of "livewire.slice.next"; empty of "livewire.close".
std::string part_of(const std::string& name) {
  const auto first = name.find('.'), last = name.rfind('.');
  return first == last ? std::string() : name.substr(first + 1, last - first - 1);
}

}  // namespace

std::vector<HostedLab*> MainWindow::labs_shown_first() const {
  std::vector<HostedLab*> all{shown_};
  for (const auto& hosted : labs_) {
    if (hosted.get() != shown_) all.push_back(hosted.get());
  }
  return all;
}

bool MainWindow::busy() const {
  return !jobs_->active().empty() || std::any_of(labs_.begin(), labs_.end(), [](const auto& hosted) {
    return hosted->lab && hosted->lab->busy();
  });
}

void MainWindow::show_lab(const std::string& name) {
  std::string names;
  for (const auto& hosted : labs_) {
    if (hosted->entry.name == name) {
      opening_ = nullptr;
      return bring_forward(*hosted);
    }
    names += (names.empty() ? "" : ", ") + hosted->entry.name;
  }
  throw Error(said(QObject::tr("There is no lab %1; the labs are %2."), isolume::quoted(name), names));
}

void MainWindow::open_file(const std::filesystem::path& path) {
  if (path.extension() == sessions::suffix) return sessions_->open(path);
  const auto labs = labs_shown_first();
  const auto taker = std::find_if(labs.begin(), labs.end(), [&path](const HostedLab* hosted) {
    return hosted->entry.opens && hosted->entry.opens(path);
  });
  open_in(taker == labs.end() ? *shown_ : **taker, path);
}

void MainWindow::open_in(HostedLab& hosted, const std::filesystem::path& path) {
  show_error({});
  ensure_made(hosted);
  opening_ = &hosted;
  hosted.to_restore.reset();
  hosted.lab->open(path);
}

void MainWindow::open_again(HostedLab& hosted, const sessions::LabSession& session, bool shown) {
  ensure_made(hosted);
  if (shown) opening_ = &hosted;
  hosted.to_restore = session;
  const std::filesystem::path path = session.data ? session.data->path : std::filesystem::path();
  hosted.lab->open_again(path, session.state);
}

QByteArray MainWindow::layout() const {
  return saveState(layout_version).toBase64();
}

void MainWindow::set_layout(const QByteArray& layout) {
  restoreState(QByteArray::fromBase64(layout), layout_version);
}

void MainWindow::show_warning(HostedLab& hosted, const QString& text) {
  hosted.warning = text;
  if (shown_ == &hosted) warning_->set_text(text);
}

void MainWindow::offer_left_session(const QString& what) {
  welcome_->offer_session(what);
}

LabContext MainWindow::make_context(HostedLab& hosted) {
  const auto on_gui_thread = [this](std::function<void()> action) { run_soon(std::move(action)); };
  return {.commands = commands_,
          .jobs = *jobs_,
          .undo = hosted.undo,
          .view = *hosted.view,
          .on_gui_thread = on_gui_thread,
          .show_status =
              [this, &hosted](const QString& text) {
                hosted.status = text;
                if (shown_ == &hosted) status_->setText(text);
              },
          .show_warning = [this, &hosted](const QString& text) { show_warning(hosted, text); },
          .document_opened = [this, &hosted](const std::filesystem::path& path,
                                             const QString& title) { take_document(hosted, path, title); },
          .set_parameters = [&hosted](const QString& what,
                                      const auto& values) { hosted.history->set_texts(what, values); },
          .parameters_changed =
              [this, &hosted] {
                if (shown_ != &hosted) return;
                show_parameters();
                refresh();
              },
          .availability_changed = [this] { refresh(); },
          .dark = [] { return dark_theme(); }};
}

void MainWindow::make_lab(HostedLab& hosted) {
  const std::set<std::string> before = names_of(commands_);
  hosted.view = new scene::ViewWidget;
  hosted.view->setAccessibleName(tr("View"));
  hosted.view->installEventFilter(this);
  hosted.undo.setUndoLimit(undo_steps);
  undo_.addStack(&hosted.undo);
  hosted.context = std::make_unique<LabContext>(make_context(hosted));
  hosted.lab = hosted.entry.make(*hosted.context);
  for (const std::string& name : names_of(commands_)) {
    if (before.contains(name)) continue;
    commands_.set_out_of_reach(name, [this, &hosted]() -> std::string {
      if (shown_ == &hosted) return {};
      return said(tr("It belongs to the %1 lab: run lab.show %2 first."), hosted.entry.title.toStdString(),
                  hosted.entry.name);
    });
    hosted.commands.push_back(name);
  }
  hosted.history = std::make_unique<ParameterHistory>(*hosted.lab, hosted.undo);
  hosted.page = hosted.lab->page();
  if (hosted.page == nullptr) hosted.page = hosted.view;
  if (hosted.page != hosted.view && !hosted.page->isAncestorOf(hosted.view)) {
    hosted.view->setParent(this);
    hosted.view->hide();
  }
  pages_->addWidget(hosted.page);
  add_panels(hosted);
  hosted.lab->theme_changed(dark_theme());
  if (devices_) hosted.lab->devices_found(devices_);
  hosted.lab->start();
}

void MainWindow::ensure_made(HostedLab& hosted) {
  if (hosted.lab) return;
  keep_layout();
  make_lab(hosted);
  show_document_or_welcome();
}

/// The view stays until the lab is gone, whose scene is drawn in it.
void MainWindow::unmake(HostedLab& hosted) {
  if (!hosted.lab) return;
  hosted.undo.clear();
  for (QDockWidget* dock : hosted.docks) delete dock;
  if (hosted.page != hosted.view) {
    hosted.view->setParent(this);
    delete hosted.page;
  }
  hosted.lab.reset();
}

void MainWindow::bring_forward(HostedLab& hosted) {
  ensure_made(hosted);
  if (shown_ == &hosted) return;
  keep_layout();
  shown_->lab->shown_changed(false);
  shown_ = &hosted;
  show_shown_lab();
  hosted.lab->shown_changed(true);
}

void MainWindow::show_shown_lab() {
  undo_.setActiveStack(&shown_->undo);
  status_->setText(shown_->status);
  warning_->set_text(shown_->warning);
  error_->set_text(shown_->error);
  show_title();
  show_parameters();
  fill_lab_menus();
  show_document_or_welcome();
  refresh();
}

void MainWindow::show_title() {
  setWindowTitle(shown_->has_document ? tr("%1 - Isolume").arg(shown_->title) : QString("Isolume"));
}

/// The menus that are the shown lab's own.
void MainWindow::fill_lab_menus() {
  actions_->add_all();
  panels_menu_->clear();
  for (QDockWidget* dock : docks()) {
    const std::string name = panel_name(*dock);
    panels_menu_->addAction(
        actions_->action("view.panel " + commands::quote(name), dock->windowTitle(), [this, name] {
          const auto shown = docks();
          return std::any_of(shown.begin(), shown.end(), [&](const QDockWidget* each) {
            return panel_name(*each) == name && !each->isHidden();
          });
        }));
  }
  lab_menu_->clear();
  qDeleteAll(lab_menu_->findChildren<QMenu*>(Qt::FindDirectChildrenOnly));
  lab_menu_->setTitle(shown_->entry.title);
  give_mnemonics(menuBar()->actions());
  const bool long_menu = shown_->commands.size() > most_lines;
  std::optional<std::string> last_part;
  std::vector<std::string> names = shown_->commands;
  std::ranges::stable_sort(names, {}, part_of);  // what belongs to no part comes first
  QMenu* menu = lab_menu_;
  for (const std::string& name : names) {
    const std::string part = part_of(name);
    if (part != last_part) {
      if (long_menu) {
        menu = lab_menu_->addMenu(part.empty() ? shown_->entry.title : capitalised(part));
      } else if (!menu->isEmpty()) {
        menu->addSeparator();
      }
    }
    last_part = part;
    menu->addAction(actions_->action(name));
  }
  give_mnemonics(lab_menu_->actions());
  for (const QMenu* part : lab_menu_->findChildren<QMenu*>()) give_mnemonics(part->actions());
  give_mnemonics(panels_menu_->actions());
}

void MainWindow::take_document(HostedLab& hosted, const std::filesystem::path& path, const QString& title) {
  hosted.undo.clear();
  show_error({});
  if (!path.empty()) {
    add_recent_file(QString::fromStdString(path.string()));
    show_recent_files();
  }
  hosted.document = path;
  hosted.title = title;
  const bool first = !std::exchange(hosted.has_document, true);
  const bool wanted = opening_ == &hosted;
  if (wanted) opening_ = nullptr;  // another lab's wish to come forward stays
  if (wanted && shown_ != &hosted) {
    bring_forward(hosted);
  } else if (shown_ == &hosted) {
    show_title();
    show_parameters();
    if (first) show_document_or_welcome();
    refresh();
  }
  // When the lab has shown it.
  if (hosted.to_restore) run_soon([this, &hosted] { sessions_->restore(hosted); });
  Q_EMIT document_opened();
}

/// The panels mean nothing before a document is open: they wait, and the welcome page has the room.
void MainWindow::show_document_or_welcome() {
  if (!shown_->has_document) {
    pages_->setCurrentWidget(welcome_);
    for (QDockWidget* dock : all_docks()) dock->hide();
    return;
  }
  pages_->setCurrentWidget(shown_->page);
  restoreState(shown_->layout, layout_version);
  for (const auto& hosted : labs_) {
    if (hosted.get() == shown_) continue;
    for (QDockWidget* dock : hosted->docks) dock->hide();
  }
  if (std::exchange(shown_->layout_is_new, false)) QTimer::singleShot(0, this, &MainWindow::give_docks_room);
}

void MainWindow::keep_layout() {
  if (shown_->has_document) shown_->layout = saveState(layout_version);
}

/// The first time: what a slider with its number needs, and a panel that says it needs more; in a small
/// window the view goes first.
void MainWindow::give_docks_room() {
  int sides = 0;
  for (const auto area : {Qt::LeftDockWidgetArea, Qt::RightDockWidgetArea}) {
    sides += std::ranges::any_of(docks(), [&](QDockWidget* dock) { return dockWidgetArea(dock) == area; });
  }
  const int room = (width() - width() * 2 / 5) / std::max(1, sides);
  for (const auto area : {Qt::LeftDockWidgetArea, Qt::RightDockWidgetArea}) {
    QList<QDockWidget*> side;
    int wanted = 44 * fontMetrics().averageCharWidth();
    for (QDockWidget* dock : docks()) {
      if (dockWidgetArea(dock) != area) continue;
      side.append(dock);
      wanted = std::max(wanted, dock->widget()->sizeHint().width());
    }
    if (!side.isEmpty()) resizeDocks(side, QList<int>(side.size(), std::min(wanted, room)), Qt::Horizontal);
  }
}

std::vector<QDockWidget*> MainWindow::docks() const {
  std::vector<QDockWidget*> result = shown_->docks;
  result.insert(result.end(), common_docks_.begin(), common_docks_.end());
  return result;
}

std::vector<QDockWidget*> MainWindow::all_docks() const {
  std::vector<QDockWidget*> result = common_docks_;
  for (const auto& hosted : labs_) result.insert(result.end(), hosted->docks.begin(), hosted->docks.end());
  return result;
}

}  // namespace isolume::workbench
