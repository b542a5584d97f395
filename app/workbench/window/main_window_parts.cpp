// The main window's docks, menus and tool bar.
#include <QDockWidget>
#include <QKeySequence>
#include <QMenu>
#include <QMenuBar>
#include <QSettings>
#include <QToolBar>
#include <QUndoView>
#include <algorithm>

#include "app/scene/cameras/camera.h"
#include "app/scene/view/view_widget.h"
#include "app/workbench/commands/command_actions.h"
#include "app/workbench/commands/window_command_parts.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/devices/devices_panel.h"
#include "app/workbench/documents/recent_files.h"
#include "app/workbench/look/icons.h"
#include "app/workbench/look/mnemonics.h"
#include "app/workbench/parameters/parameter_panel.h"
#include "app/workbench/window/log_panel.h"
#include "app/workbench/window/main_window.h"
#include "app/workbench/window/welcome_page.h"

namespace isolume::workbench {
namespace {

constexpr std::size_t labs_with_key = 9;  ///< Ctrl+1 to Ctrl+9; all others are in the menu and the palette

}  // namespace

std::string panel_name(const QDockWidget& dock) {
  return dock.objectName().section('.', -1).toStdString();
}

QDockWidget* MainWindow::make_dock(const QString& name, const QString& title, QWidget* widget,
                                   Qt::DockWidgetArea area) {
  auto* dock = new QDockWidget(title);
  dock->setObjectName("panel." + name);
  dock->setWidget(widget);
  addDockWidget(area, dock);
  connect(dock, &QDockWidget::visibilityChanged, this, [this](bool seen) {
    refresh_soon();
    if (seen) tell_panels_seen();
  });
  return dock;
}

ParameterPanel* MainWindow::make_parameter_panel() {
  return new ParameterPanel({.set =
                                 [this](const auto& key, const auto& text) {
                                   return run_tick("parameter.set", {key, text});
                                 },
                             .reset = [this](const auto& key) { run("parameter.reset", {key}); },
                             .begin_gesture =
                                 [this] {
                                   history().begin_gesture();
                                   recorder_.begin_gesture();
                                 },
                             .end_gesture =
                                 [this] {
                                   history().end_gesture();
                                   recorder_.end_gesture();
                                 }});
}

void MainWindow::make_common_docks() {
  parameters_ = make_parameter_panel();
  auto* history = new QUndoView(&undo_);
  history->setEmptyLabel(tr("As opened"));
  devices_panel_ = new DevicesPanel([this](const std::string& line) { run(line); });
  QDockWidget* log = make_dock("Log", tr("Log"), new LogPanel, Qt::BottomDockWidgetArea);
  QDockWidget* devices = make_dock("Devices", tr("Devices"), devices_panel_, Qt::BottomDockWidgetArea);
  QDockWidget* changes = make_dock("History", tr("History"), history, Qt::BottomDockWidgetArea);
  tabifyDockWidget(log, devices);
  tabifyDockWidget(devices, changes);
  common_docks_ = {make_dock("Parameters", tr("Parameters"), parameters_, Qt::RightDockWidgetArea), log,
                   devices, changes};
}

/// Adds the document's panels. For the lab's first document docks are created, its own and Parameters open,
/// in the layout of the last run; its other documents share them in turn.
void MainWindow::add_panels(HostedDocument& document) {
  HostedLab& hosted = document.of;
  const std::vector<LabPanel> panels = document.lab->panels();
  for (const LabPanel& panel : panels) document.panels.push_back(panel.widget);
  if (!hosted.docks.empty()) {
    for (std::size_t i = 0; i < panels.size(); ++i) {
      panels[i].widget->setParent(hosted.docks.at(i));
      panels[i].widget->hide();
    }
    return;
  }
  for (QDockWidget* dock : all_docks()) dock->hide();
  QDockWidget* parameters = common_docks_.front();
  parameters->show();
  for (const LabPanel& panel : panels) {
    const QString name = QString::fromStdString(hosted.name()) + "." + panel.title;
    QDockWidget* dock = make_dock(name, translated(panel.title.toStdString()), panel.widget, panel.area);
    dock->show();
    if (panel.area == Qt::RightDockWidgetArea) tabifyDockWidget(parameters, dock);
    hosted.docks.push_back(dock);
  }
  parameters->raise();
  hosted.layout_is_new = !restoreState(QSettings().value(hosted.layout_key()).toByteArray(), layout_version);
  place_tabs(hosted);
  hosted.layout = saveState(layout_version);
}

/// The tabs of the panels on the right: below them in a narrow window, to keep room for the picture;
/// otherwise at their side, where many titles are legible.
void MainWindow::place_tabs(const HostedLab& hosted) {
  constexpr auto most_below = 3;
  const auto panels = std::ranges::count_if(
      hosted.docks, [this](QDockWidget* dock) { return dockWidgetArea(dock) == Qt::RightDockWidgetArea; });
  setTabPosition(Qt::RightDockWidgetArea, panels > most_below ? QTabWidget::East : QTabWidget::South);
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
      choose->addAction(
          actions_->action(command + " " + commands::quote(choice), capitalised(choice), std::move(checked)));
    }
  };

  QMenu* file = menuBar()->addMenu(tr("&File"));
  add(file, {"file.open"});
  QAction* beside = actions_->action("file.open beside", tr("Open in new tab..."));
  beside->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_T));
  file->addAction(beside);
  add(file, {"file.open-folder"});
  QMenu* open_in_lab = file->addMenu(tr("Open in &lab"));
  for (const auto& hosted : labs_) {
    if (!hosted->entry.description.formats.empty())
      open_in_lab->addAction(actions_->action("file.open-in " + hosted->name(), hosted->title()));
  }
  std::vector<std::string> samples;
  for (const auto& hosted : labs_) {
    for (const Sample& sample : hosted->entry.description.samples) samples.push_back(sample.title);
  }
  add_choices(file, tr("Open &sample"), "file.open-sample", samples, nullptr);
  recent_menu_ = file->addMenu(tr("Open &recent"));
  add(file, {"session.restore", "", "session.save", "session.save-as", "", "file.export-image",
             "file.export-movie", "file.export"});
  add(file->addMenu(tr("S&cript")), {"script.record", "script.stop", "script.save", "", "script.run"});
  add(file, {"", "document.close", "app.quit"});
  add(menuBar()->addMenu(tr("&Edit")), {"edit.undo", "edit.redo", "edit.copy", "", "parameter.set",
                                        "parameter.reset", "", "job.cancel", "", "command.palette"});

  QMenu* view = menuBar()->addMenu(tr("&View"));
  add(view, {"view.reset"});
  add(view->addMenu(tr("Rotate and &zoom")), {"view.turn-left", "view.turn-right", "view.turn-up",
                                              "view.turn-down", "", "view.zoom-in", "view.zoom-out"});
  add_choices(view, tr("View &from"), "view.preset", scene::view_presets(), nullptr);
  add_choices(view, tr("&Projection"), "view.projection", {"perspective", "orthographic"}, [this] {
    return std::string(scene::orthographic(*this->view().renderer()) ? "orthographic" : "perspective");
  });
  add_choices(view, tr("R&otation mode"), "view.interaction", {"trackball", "turntable"}, [this] {
    return std::string(this->view().interaction() == scene::Interaction::trackball ? "trackball"
                                                                                   : "turntable");
  });
  view->addSeparator();
  add_choices(view, tr("&Theme"), "view.theme", theme_names(), [this] { return theme_name(theme_); });
  panels_menu_ = view->addMenu(tr("P&anels"));
  add(view, {"view.full-screen", "", "document.next", "document.previous"});

  QMenu* labs = menuBar()->addMenu(tr("&Lab"));
  for (std::size_t i = 0; i < labs_.size(); ++i) {
    const HostedLab* hosted = labs_[i].get();
    QAction* show = actions_->action("lab.show " + hosted->name(), hosted->title(),
                                     [this, hosted] { return shown_ == hosted; });
    if (i < labs_with_key) show->setShortcut(QKeySequence(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_1 + i)));
    labs->addAction(show);
  }
  lab_menu_ = menuBar()->addMenu(QString());
  add(menuBar()->addMenu(tr("&Help")), {"help.manual", "help.shortcuts", "", "help.about"});
  QAction* undo = actions_->action("edit.undo");
  QAction* redo = actions_->action("edit.redo");
  undo->setText(tr("&Undo"));
  redo->setText(tr("&Redo"));
  connect(&undo_, &QUndoGroup::undoTextChanged, undo, [undo](QString text) {
    undo->setText(text.isEmpty() ? tr("&Undo") : tr("&Undo %1").arg(text.replace('&', "&&")));
  });
  connect(&undo_, &QUndoGroup::redoTextChanged, redo, [redo](QString text) {
    redo->setText(text.isEmpty() ? tr("&Redo") : tr("&Redo %1").arg(text.replace('&', "&&")));
  });
  for (QMenu* menu : menuBar()->findChildren<QMenu*>()) {
    give_mnemonics(menu->actions());
    menu->setToolTipsVisible(true);
  }
}

QMenu* MainWindow::createPopupMenu() {
  auto* menu = new QMenu(this);
  menu->addActions(panels_menu_->actions());
  menu->addSeparator();
  menu->addAction(findChild<QToolBar*>("tool-bar")->toggleViewAction());
  return menu;
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
    const QString name = QString(files[i]).replace('&', "&&");
    QAction* action = recent_menu_->addAction(i < 9 ? tr("&%1  %2").arg(i + 1).arg(name) : name);
    connect(action, &QAction::triggered, this, [this, i] { run("file.recent", {std::to_string(i + 1)}); });
  }
}

}  // namespace isolume::workbench
