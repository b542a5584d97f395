// The main window's docks, menus and tool bar.
#include <QDockWidget>
#include <QMenu>
#include <QMenuBar>
#include <QSettings>
#include <QToolBar>
#include <QUndoView>
#include <algorithm>
#include <set>

#include "app/scene/camera.h"
#include "app/scene/view_widget.h"
#include "app/workbench/command_actions.h"
#include "app/workbench/devices_panel.h"
#include "app/workbench/icons.h"
#include "app/workbench/log_panel.h"
#include "app/workbench/main_window.h"
#include "app/workbench/parameter_panel.h"
#include "app/workbench/recent_files.h"
#include "app/workbench/welcome_page.h"

namespace isolume::workbench {
namespace {

const std::set<std::string> workbench_prefixes{"app",  "command", "device", "devices",   "edit",
                                               "file", "help",    "job",    "parameter", "view"};

std::string prefix_of(const std::string& name) {
  return name.substr(0, name.find('.'));
}

QString capitalised(const std::string& word) {
  QString text = QString::fromStdString(word);
  text[0] = text[0].toUpper();
  return text.replace('-', ' ');
}

}  // namespace

QDockWidget* MainWindow::add_dock(const QString& title, QWidget* widget, Qt::DockWidgetArea area, bool open) {
  auto* dock = new QDockWidget(title);
  dock->setObjectName("panel." + title);
  dock->setWidget(widget);
  addDockWidget(area, dock);
  dock->setVisible(open);
  docks_.push_back(dock);
  return dock;
}

ParameterPanel* MainWindow::make_parameter_panel() {
  return new ParameterPanel({.set =
                                 [this](const auto& key, const auto& text) {
                                   run("parameter.set", {key, text});
                                 },
                             .reset = [this](const auto& key) { run("parameter.reset", {key}); },
                             .begin_gesture = [this] { history_->begin_gesture(); },
                             .end_gesture = [this] { history_->end_gesture(); }});
}

void MainWindow::make_docks() {
  for (const LabPanel& panel : lab_->panels()) add_dock(panel.title, panel.widget, panel.area, true);
  parameters_ = make_parameter_panel();
  QDockWidget* parameters = add_dock(tr("Parameters"), parameters_, Qt::RightDockWidgetArea, true);
  for (QDockWidget* dock : docks_) {
    if (dock != parameters && dockWidgetArea(dock) == Qt::RightDockWidgetArea)
      tabifyDockWidget(parameters, dock);
  }
  parameters->raise();
  auto* history = new QUndoView(&undo_);
  history->setEmptyLabel(tr("As opened"));
  devices_panel_ = new DevicesPanel([this](const std::string& line) { run(line); });
  QDockWidget* log = add_dock(tr("Log"), new LogPanel, Qt::BottomDockWidgetArea, false);
  QDockWidget* devices = add_dock(tr("Devices"), devices_panel_, Qt::BottomDockWidgetArea, false);
  QDockWidget* changes = add_dock(tr("History"), history, Qt::BottomDockWidgetArea, false);
  tabifyDockWidget(log, devices);
  tabifyDockWidget(devices, changes);
}

void MainWindow::make_menus() {
  const auto add = [this](QMenu* menu, std::initializer_list<const char*> lines) {
    for (const char* line : lines)
      *line == '\0' ? menu->addSeparator() : (menu->addAction(actions_->action(line)), nullptr);
  };
  const auto add_choices = [this](QMenu* menu, const QString& title, const std::string& command,
                                  const std::vector<std::string>& choices,
                                  std::function<std::string()> current) {
    QMenu* choose = menu->addMenu(title);
    for (const std::string& choice : choices) {
      std::function<bool()> checked;
      if (current) checked = [choice, current] { return current() == choice; };
      choose->addAction(actions_->action(command + " " + CommandRegistry::quote(choice), capitalised(choice),
                                         std::move(checked)));
    }
  };

  QMenu* file = menuBar()->addMenu(tr("&File"));
  add(file, {"file.open"});
  std::vector<std::string> samples;
  for (const SampleTile& sample : lab_->samples()) samples.push_back(sample.title.toStdString());
  add_choices(file, tr("Open &sample"), "file.open-sample", samples, nullptr);
  recent_menu_ = file->addMenu(tr("Open &recent"));
  add(file, {"", "file.export-image", "file.export", "", "app.quit"});
  add(menuBar()->addMenu(tr("&Edit")), {"edit.undo", "edit.redo", "", "parameter.set", "parameter.reset", "",
                                        "job.cancel", "", "command.palette"});

  QMenu* view = menuBar()->addMenu(tr("&View"));
  add(view, {"view.reset"});
  add_choices(view, tr("View &from"), "view.preset", scene::view_presets(), nullptr);
  add_choices(view, tr("&Projection"), "view.projection", {"perspective", "orthographic"}, [this] {
    return std::string(scene::orthographic(*view_->renderer()) ? "orthographic" : "perspective");
  });
  add_choices(view, tr("&Mouse turns"), "view.interaction", {"trackball", "turntable"}, [this] {
    return std::string(view_->interaction() == scene::Interaction::trackball ? "trackball" : "turntable");
  });
  view->addSeparator();
  add_choices(view, tr("&Theme"), "view.theme", theme_names(), [this] { return theme_name(theme_); });
  QMenu* panels = view->addMenu(tr("P&anels"));
  for (QDockWidget* dock : docks_) {
    const std::string title = dock->windowTitle().toStdString();
    panels->addAction(actions_->action("view.panel " + CommandRegistry::quote(title), dock->windowTitle(),
                                       [dock] { return !dock->isHidden(); }));
    connect(dock, &QDockWidget::visibilityChanged, this, [this] { refresh(); });
  }
  add(view, {"view.full-screen"});

  add_lab_commands(menuBar()->addMenu(lab_->title()));
  add(menuBar()->addMenu(tr("&Help")), {"help.manual", "help.shortcuts", "", "help.about"});
  actions_->add_all();

  QAction* undo = actions_->action("edit.undo");
  QAction* redo = actions_->action("edit.redo");
  connect(&undo_, &QUndoStack::undoTextChanged, undo, [undo](const QString& text) {
    undo->setText(text.isEmpty() ? tr("Undo") : tr("Undo %1").arg(text));
  });
  connect(&undo_, &QUndoStack::redoTextChanged, redo, [redo](const QString& text) {
    redo->setText(text.isEmpty() ? tr("Redo") : tr("Redo %1").arg(text));
  });
}

void MainWindow::add_lab_commands(QMenu* menu) {
  std::string last_prefix;
  for (const Command* command : commands_.all()) {
    const std::string prefix = prefix_of(command->name);
    if (workbench_prefixes.contains(prefix)) continue;
    if (!last_prefix.empty() && prefix != last_prefix) menu->addSeparator();
    last_prefix = prefix;
    menu->addAction(actions_->action(command->name));
  }
}

void MainWindow::make_tool_bar() {
  QToolBar* bar = addToolBar(tr("Tools"));
  bar->setObjectName("tool-bar");
  const auto add = [this, bar](const char* line, const char* icon_name, const QString& short_title) {
    QAction* action = actions_->action(line);
    action->setIcon(icon(icon_name));
    action->setIconText(short_title);
    bar->addAction(action);
  };
  add("file.open", "open", tr("Open"));
  add("file.export-image", "image", tr("Image"));
  add("file.export", "export", tr("Export"));
  bar->addSeparator();
  add("edit.undo", "undo", tr("Undo"));
  add("edit.redo", "redo", tr("Redo"));
  bar->addSeparator();
  add("view.reset", "home", tr("Fit"));
  add("command.palette", "search", tr("Commands"));
}

void MainWindow::show_recent_files() {
  const QStringList files = recent_files();
  welcome_->show_recent(files);
  recent_menu_->clear();
  recent_menu_->setEnabled(!files.isEmpty());
  for (int i = 0; i < files.size(); ++i) {
    QAction* action = recent_menu_->addAction(files[i]);
    connect(action, &QAction::triggered, this, [this, i] { run("file.recent", {std::to_string(i + 1)}); });
  }
}

}  // namespace isolume::workbench
