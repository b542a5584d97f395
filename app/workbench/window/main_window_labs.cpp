// How the main window hosts labs: shows one of them, and keeps the state of the others.
#include <QDockWidget>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QSettings>
#include <QStackedWidget>
#include <QTimer>
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "app/scene/view/view_widget.h"
#include "app/workbench/commands/command_actions.h"
#include "app/workbench/commands/palette_search.h"
#include "app/workbench/commands/window_command_parts.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/documents/recent_files.h"
#include "app/workbench/look/mnemonics.h"
#include "app/workbench/look/theme.h"
#include "app/workbench/window/banner.h"
#include "app/workbench/window/main_window.h"
#include "app/workbench/window/session_keeper.h"
#include "app/workbench/window/welcome_page.h"

namespace isolume::workbench {
namespace {

constexpr std::size_t most_lines = 20;     ///< longer menus are divided; there are few letters to underline
constexpr std::ptrdiff_t least_lines = 3;  ///< of a submenu: shorter ones are not worth it

/// The group of a command: its declared one, or "slice" for "livewire.slice.next" and "export" for
/// "electrostatics.ions.export"; empty for "livewire.close".
std::string part_of(const std::string& name, const CommandRegistry& commands) {
  const Command* command = commands.find(name);
  if (command != nullptr && !command->menu.empty()) return command->menu.substr(0, command->menu.find('/'));
  const auto first = name.find('.'), last = name.rfind('.');
  if (first == last) return {};
  if (name.substr(last + 1) == "export") return "export";
  std::string part = name.substr(first + 1, last - first - 1);
  if (part.ends_with('s')) part.pop_back();  // contour and contours are one group
  return part;
}

/// "2" of "label/2"; mostly empty.
std::string section_of(const std::string& name, const CommandRegistry& commands) {
  const Command* command = commands.find(name);
  const auto slash = command == nullptr ? std::string::npos : command->menu.find('/');
  return slash == std::string::npos ? std::string() : command->menu.substr(slash + 1);
}

/// The groups of a lab's menu with enough commands for a submenu.
std::set<std::string> submenus_of(const std::vector<std::string>& names, const CommandRegistry& commands) {
  std::map<std::string, std::ptrdiff_t> lines;
  for (const std::string& name : names) ++lines[part_of(name, commands)];
  std::set<std::string> found;
  for (const auto& [part, count] : lines) {
    if (!part.empty() && count >= least_lines) found.insert(part);
  }
  return found;
}

/// "Field line" for "field-line".
QString title_of_part(std::string part) {
  if (part == "export") return QObject::tr("Export");
  std::ranges::replace(part, '-', ' ');
  return capitalised(part);
}

}  // namespace

std::vector<HostedLab*> MainWindow::labs_shown_first() const {
  std::vector<HostedLab*> all{shown_};
  for (const auto& hosted : labs_) {
    if (hosted.get() != shown_) all.push_back(hosted.get());
  }
  return all;
}

std::vector<HiddenLab> MainWindow::hidden_labs() const {
  std::vector<HiddenLab> hidden;
  for (const auto& hosted : labs_) {
    if (hosted.get() == shown_) continue;
    hidden.push_back({hosted->name(), hosted->title().toStdString(), hosted->declared()});
  }
  return hidden;
}

bool MainWindow::busy() const {
  return !jobs_->active().empty() || std::ranges::any_of(made_labs(), &Lab::busy);
}

void MainWindow::when_at_rest(std::function<void()> then) {
  constexpr int interval_ms = 20, quiet_ms = 100, longest_ms = 60'000;
  grab();  // lays out what commands have shown; before that it is not in sight
  if (document().lab) lab().panels_seen();
  auto* watch = new QTimer(this);
  connect(watch, &QTimer::timeout, this, [this, watch, then = std::move(then), quiet = 0, all = 0]() mutable {
    const auto labs = made_labs();
    const bool works = busy() || std::ranges::any_of(labs, &Lab::waits);
    const bool rests = !works || std::ranges::any_of(labs, &Lab::moving);
    quiet = rests ? quiet + interval_ms : 0;
    all += interval_ms;
    if (quiet < quiet_ms && all < longest_ms) return;
    watch->stop();
    watch->deleteLater();
    then();
  });
  watch->start(interval_ms);
}

void MainWindow::show_lab(const std::string& name) {
  std::string names;
  for (const auto& hosted : labs_) {
    if (hosted->name() == name) {
      opening_ = nullptr;
      ensure_made(*hosted);
      return bring_forward(*hosted->front);
    }
    names += (names.empty() ? "" : ", ") + hosted->name();
  }
  throw Error(said(QObject::tr("There is no lab %1; the labs are %2."), isolume::quoted(name), names));
}

QByteArray MainWindow::layout() const {
  return saveState(layout_version).toBase64();
}

void MainWindow::set_layout(const QByteArray& layout) {
  restoreState(QByteArray::fromBase64(layout), layout_version);
}

void MainWindow::offer_left_session(const QString& what) {
  welcome_->offer_session(what);
}

void MainWindow::show_shown_lab() {
  undo_.setActiveStack(&document().undo);
  status_->setText(document().status);
  warning_->set_text(document().warning);
  warning_->set_offer(document().offer);
  error_->set_text(document().error);
  show_title();
  show_tabs();
  show_parameters();
  fill_lab_menus();
  show_document_or_welcome();
  refresh();
}

void MainWindow::show_title() {
  setWindowTitle(has_document() ? tr("%1 - Isolume").arg(document().title) : QString("Isolume"));
  setWindowFilePath(has_document() ? QString::fromStdString(document().where().string()) : QString());
}

/// Fills the menus of the shown lab.
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
  lab_menu_->setTitle(shown_->title());
  give_mnemonics(menuBar()->actions());
  std::vector<std::string> names = shown_->commands;
  const auto submenus = names.size() > most_lines ? submenus_of(names, commands()) : std::set<std::string>();
  const auto place_of = [&, this](const std::string& name) {
    const std::string part = part_of(name, commands());
    return std::tuple(submenus.contains(part), part, section_of(name, commands()));
  };
  std::ranges::stable_sort(names, {}, place_of);  // commands without a group first, submenus last
  std::optional<std::string> last_part, last_section;
  QMenu* menu = lab_menu_;
  for (const std::string& name : names) {
    const auto [in_submenu, part, section] = place_of(name);
    if (part != last_part) {
      if (!lab_menu_->isEmpty() && menu == lab_menu_) menu->addSeparator();
      if (in_submenu) {
        menu = lab_menu_->addMenu(title_of_part(part));
        menu->setToolTipsVisible(true);
      }
    }
    if (menu != lab_menu_ && part == last_part && section != last_section) menu->addSeparator();
    last_part = part;
    last_section = section;
    menu->addAction(actions_->action(name));
  }
  give_mnemonics(lab_menu_->actions());
  for (const QMenu* part : lab_menu_->findChildren<QMenu*>()) give_mnemonics(part->actions());
  give_mnemonics(panels_menu_->actions());
}

/// Panels are useless before a document is open: they are hidden, and the welcome page gets the room.
void MainWindow::show_document_or_welcome() {
  if (!document().counts()) {
    pages_->setCurrentWidget(welcome_);
    for (QDockWidget* dock : all_docks()) dock->hide();
    return;
  }
  pages_->setCurrentWidget(&page());
  restoreState(shown_->layout, layout_version);
  place_tabs(*shown_);
  for (const auto& hosted : labs_) {
    if (hosted.get() == shown_) continue;
    for (QDockWidget* dock : hosted->docks) dock->hide();
  }
  if (std::exchange(shown_->layout_is_new, false)) QTimer::singleShot(0, this, &MainWindow::give_docks_room);
}

void MainWindow::keep_layout() {
  if (document().counts()) shown_->layout = saveState(layout_version);
}

/// At first each dock gets the room for a slider with its number, or more if a panel requests it; in a small
/// window the view has priority.
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
