#pragma once

#include <QString>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/jobs/job_runner.h"
#include "core/parameters/schema.h"

class QUndoStack;
class QWidget;

namespace isolume::scene {
class ViewWidget;
}

namespace isolume::workbench {

class CommandRegistry;

/// What the workbench lends to a lab.
struct LabContext {
  CommandRegistry& commands;
  jobs::JobRunner& jobs;
  QUndoStack& undo;
  scene::ViewWidget& view;
  /// Runs `action` on the GUI thread soon; callable from jobs.
  std::function<void(std::function<void()> action)> on_gui_thread;
  /// One line in the status bar: what is shown, by which engine, in how many ms.
  std::function<void(const QString& text)> show_status;
  /// A banner above the view that stays until closed or replaced; an empty text removes it.
  std::function<void(const QString& text)> show_warning;
};

struct LabPanel {
  QString title;
  QWidget* widget;  ///< given to the workbench, which puts it into a dock
  Qt::DockWidgetArea area;
};

struct SampleTile {
  QString title;        ///< "Benzene"
  QString description;  ///< "RHF/6-31G*, 102 functions"
  std::string resource; ///< "samples/benzene.fchk.gz"
};

/// One lab: its panels and its scene. It acts through commands and parameters; it never touches the main window.
class Lab {
 public:
  virtual ~Lab() = default;
  virtual QString title() const = 0;
  virtual std::vector<LabPanel> panels() = 0;
  virtual std::vector<SampleTile> samples() const = 0;
  /// Filter patterns for the open dialog, "Wavefunctions (*.molden *.fchk ...)".
  virtual QString file_filter() const = 0;
  /// Starts opening a file as a job; errors reach the person through the job's failure. The present document stays
  /// until the new one is ready.
  virtual void open(const std::filesystem::path& path) = 0;
  /// Null while nothing is open. The workbench builds the panel and the undo entries from it.
  virtual parameters::ParameterSet* parameters() = 0;
  /// Sets a parameter on behalf of the person (already an undo entry): validates, stores, updates the picture.
  virtual void set_parameter(std::string_view key, const parameters::Value& value) = 0;
  virtual void write_image(const std::filesystem::path& path, int width, int height, bool transparent, int dpi) = 0;
};

}  // namespace isolume::workbench
