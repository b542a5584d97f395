#pragma once

#include <QMainWindow>
#include <QUndoStack>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/workbench/command_registry.h"
#include "app/workbench/lab.h"
#include "app/workbench/parameter_history.h"
#include "app/workbench/theme.h"
#include "core/jobs/job_runner.h"

class QLabel;
class QStackedWidget;

namespace isolume::workbench {

class Banner;
class CommandActions;
class CommandPalette;
class DevicesPanel;
class JobIndicator;
class LogPanel;
class ParameterPanel;
class WelcomePage;

using MakeLab = std::function<std::unique_ptr<Lab>(LabContext&)>;
/// Called once, off the GUI thread: may take a second.
using FindDevices = std::function<std::shared_ptr<dispatch::DevicePool>()>;

/// The workbench: one lab's view and panels, what is common to all labs around them, and the commands by
/// which everything is done.
class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  MainWindow(const MakeLab& make_lab, FindDevices find_devices, QWidget* parent = nullptr);
  ~MainWindow() override;

  CommandRegistry& commands() { return commands_; }
  jobs::JobRunner& jobs() { return *jobs_; }
  QUndoStack& undo_stack() { return undo_; }
  ParameterHistory& history() { return *history_; }
  Lab& lab() { return *lab_; }
  scene::ViewWidget& view() { return *view_; }
  bool has_document() const { return has_document_; }
  /// Null until they have been found.
  const std::shared_ptr<dispatch::DevicePool>& devices() const { return devices_; }
  /// Puts the Devices panel up to date.
  void show_devices();

  /// Runs a command line; an error goes to the banner and to `command_failed`. Returns whether it went well.
  bool run(const std::string& line);
  bool run(const std::string& name, const std::vector<std::string>& arguments);
  /// As `run`, but asks for missing arguments in the palette.
  void start(const std::string& line);

  void show_error(const QString& text);
  QString error_text() const;
  void open_file(const std::filesystem::path& path);
  void open_palette(const QString& text);
  void set_theme(Theme theme);
  Theme theme() const { return theme_; }
  /// Puts the recent files' menu and the welcome page up to date.
  void show_recent_files();
  /// The docks by title, for `view.panel`.
  std::vector<QDockWidget*> docks() const;

 Q_SIGNALS:
  void command_failed(const QString& message);
  void job_failed(const QString& message);
  void document_opened();

 protected:
  void closeEvent(QCloseEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void make_central();
  LabContext make_context();
  void make_docks();
  QDockWidget* add_dock(const QString& title, QWidget* widget, Qt::DockWidgetArea area, bool open);
  ParameterPanel* make_parameter_panel();
  void make_menus();
  void add_lab_commands(QMenu* menu);
  void make_tool_bar();
  void make_status_bar();
  void watch_jobs();
  void take_job(const jobs::JobStatus& status);
  void take_document(const std::filesystem::path& path, const QString& title);
  void show_document_or_welcome();
  void give_docks_room();
  void take_devices(const std::shared_ptr<dispatch::DevicePool>& devices);
  void restore();
  void refresh();

  CommandRegistry commands_;
  QUndoStack undo_;
  std::shared_ptr<dispatch::DevicePool> devices_;
  std::unique_ptr<jobs::JobRunner> jobs_;
  std::unique_ptr<LabContext> context_;
  std::unique_ptr<Lab> lab_;
  std::unique_ptr<ParameterHistory> history_;
  std::unique_ptr<CommandActions> actions_;
  Theme theme_ = Theme::system;
  bool has_document_ = false;
  QByteArray layout_;  ///< of docks and tool bars, while the welcome page hides them

  scene::ViewWidget* view_ = nullptr;
  QStackedWidget* pages_ = nullptr;
  WelcomePage* welcome_ = nullptr;
  Banner* error_ = nullptr;
  Banner* warning_ = nullptr;
  CommandPalette* palette_ = nullptr;
  ParameterPanel* parameters_ = nullptr;
  DevicesPanel* devices_panel_ = nullptr;
  JobIndicator* job_ = nullptr;
  QLabel* status_ = nullptr;
  QMenu* recent_menu_ = nullptr;
  std::vector<QDockWidget*> docks_;
};

}  // namespace isolume::workbench
