#pragma once

#include <QObject>
#include <QString>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/commands/declaration.h"
#include "core/jobs/job_runner.h"
#include "core/parameters/schema.h"

class QUndoStack;
class QWidget;

namespace isolume::scene {
class ViewWidget;
}
namespace isolume::dispatch {
class DevicePool;
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
  /// After `show_warning`: a button in that banner, with its title, which runs a command. It goes with the text.
  std::function<void(const QString& title, const std::string& command)> show_offer = {};
  /// To be called on the GUI thread when a document has become the shown one: `path` enters the recent files
  /// (empty: it is no file), `title` the window's caption; the undo stack starts anew and the parameter panel
  /// is built from `Lab::parameters()`.
  std::function<void(const std::filesystem::path& path, const QString& title)> document_opened = {};
  /// Gives several of the lab's own parameters new values (as text) as one step of undo, whether the lab is
  /// shown or not. Throws Error and changes nothing where one is not allowed.
  std::function<void(const QString& what, const std::vector<std::pair<std::string, std::string>>& values)>
      set_parameters = {};
  /// To be called on the GUI thread when parameter values changed by other means than `set_parameter`.
  std::function<void()> parameters_changed = {};
  /// To be called on the GUI thread when commands may have become available, or no longer are, by other means
  /// than commands and jobs.
  std::function<void()> availability_changed = {};
  /// To be called on the GUI thread when what `Lab::state` gives has changed without parameters or an entry of undo: it
  /// is kept soon, for the case that the program does not end as it should.
  std::function<void()> state_changed = {};
  /// For a view that a lab shows beside `view`: what the mouse does there is a gesture, and recorded, as in that one.
  std::function<void(scene::ViewWidget& view)> adopt_view = {};
  /// Whether the dark theme is on.
  std::function<bool()> dark = {};
};

struct LabPanel {
  QString title;    ///< in English, by which commands call it: QT_TRANSLATE_NOOP("declared", "Measures")
  QWidget* widget;  ///< given to the workbench, which puts it into a dock
  Qt::DockWidgetArea area;
};

struct SampleTile {
  QString title;         ///< "Benzene"
  QString description;   ///< "RHF/6-31G*, 102 functions"
  std::string resource;  ///< "samples/benzene.fchk.gz"
};

/// What a movie of a lab can run through: its time, or the slices of an image.
struct Passage {
  QString name;  ///< "Time"
  QString unit;  ///< as people read it; may be empty
  double from = 0, to = 0;
  double now = 0;
  double seconds = 1;                    ///< that it usually takes from one end to the other
  bool loops = false;                    ///< its end looks as its start does
  std::function<void(double at)> go_to;  ///< on behalf of the present activity
};

/// One lab: its panels and its scene. It acts through commands and parameters; it never touches the main
/// window. The commands that it declares when it is made, named after it ("orbitals.slice.move"), fill the
/// lab's menu, and people can run them while it is shown, scripts always; all others are the workbench's.
/// Work that a command hands to other threads than jobs takes its jobs::Activity along. Everything here is
/// called on the GUI thread. All jobs have ended, and page and panels are gone, when a lab is destroyed.
class Lab {
 public:
  virtual ~Lab() = default;
  virtual std::vector<LabPanel> panels() = 0;
  /// What fills the window's centre, given to the workbench; null: `LabContext::view` alone does. A page of
  /// its own takes that view into its layout, or leaves it out. Called once, before `panels`.
  virtual QWidget* page() { return nullptr; }
  /// Called once, when the window has taken it in: a lab that needs no file calls `document_opened` here, with an empty
  /// path.
  virtual void start() {}
  /// Starts opening a file as a job; errors reach the person through the job's failure. The present document
  /// stays until the new one is ready.
  virtual void open(const std::filesystem::path& path) = 0;
  /// Opens the document of a session again; `state` is what `state` gave.
  virtual void open_again(const std::filesystem::path& path, const nlohmann::json& /*state*/) { open(path); }
  /// What a session keeps besides the parameters and the camera; copies what it needs, and is called later,
  /// off the GUI thread. Null: nothing.
  virtual std::function<nlohmann::json()> state() const { return nullptr; }
  /// Takes back what `state` gave, when the document is open, and parameters and camera are as they were.
  /// Throws Error or JSON's exceptions for what cannot be taken.
  virtual void restore(const nlohmann::json& /*state*/) {}
  /// Null while nothing is open. The workbench builds the panel and the undo entries from it.
  virtual parameters::ParameterSet* parameters() = 0;
  /// Sets a parameter on behalf of the person (already an undo entry): validates, stores, updates the
  /// picture.
  virtual void set_parameter(std::string_view key, const parameters::Value& value) = 0;
  /// The parameters that this value of another one brings along, and that otherwise follow what is shown: undoing a
  /// change of that one gives them back, too.
  virtual std::vector<std::string> goes_with(std::string_view /*key*/,
                                             const parameters::Value& /*value*/) const {
    return {};
  }
  /// Draws the picture, at once or when a job has computed it as finely as its size asks for; the file is
  /// there when no job is left.
  virtual void write_image(const std::filesystem::path& path, int width, int height, bool transparent,
                           int dpi) = 0;
  /// Nothing where there is no time now.
  virtual std::optional<Passage> passage() { return std::nullopt; }
  /// Whether a movie may run through that number: the picture follows it, and is again as it was when it is set back.
  virtual bool can_sweep(std::string_view /*key*/) const { return true; }
  /// Whether `write_image` shows the view from where the camera stands.
  virtual bool has_camera() const { return true; }
  /// Why nothing can be exported now ("Open a file first."), or empty when it can.
  virtual std::string nothing_to_export() {
    return parameters() == nullptr ? QObject::tr("Open a file first.").toStdString() : std::string();
  }
  /// Tells the recorder, by CommandRegistry::note, of what a hand has begun and not ended, as a script knows
  /// only what is done. Called when a recording ends.
  virtual void note_unfinished() {}
  /// Whether work other than jobs is under way.
  virtual bool busy() const { return false; }
  /// Whether something moves by itself until it is stopped: an animation.
  virtual bool moving() const { return false; }
  virtual void stop_moving() {}
  /// Filter patterns for the export dialog, "Cube (*.cube);;STL surface (*.stl)".
  virtual QString export_filter() const { return {}; }
  /// `file.export`: writes what is shown in the format of the suffix. Throws Error, naming the formats.
  virtual void export_file(const std::filesystem::path& path) {
    throw Error(QObject::tr("This lab cannot export %1.")
                    .arg(QString::fromStdString(isolume::quoted(path.string())))
                    .toStdString());
  }
  /// The machine's devices are known, soon after the start (GPUs may take a second to wake up); until then
  /// a lab computes with the CPU. Called once.
  virtual void devices_found(const std::shared_ptr<dispatch::DevicePool>& /*devices*/) {}
  /// The theme changed between dark and light.
  virtual void theme_changed(bool /*dark*/) {}
  /// The lab comes to the front, or another one does: what moves by itself rests while nobody sees it.
  virtual void shown_changed(bool /*shown*/) {}
};

using MakeLab = std::function<std::unique_ptr<Lab>(LabContext&)>;

/// What is known of a lab before it is made, which happens when it is first shown.
struct LabEntry {
  std::string name;  ///< for commands: "orbitals"
  QString title;     ///< "Orbitals"
  QString summary;   ///< one sentence for the welcome page
  QString file_filter =
      {};  ///< patterns for the open dialog, "Wavefunctions (*.molden *.fchk ...)"; empty: it opens none
  std::vector<SampleTile> samples = {};
  /// Whether it would open this file or folder; looks at its name and at most at its first bytes. Null: none.
  std::function<bool(const std::filesystem::path& path)> opens = nullptr;
  MakeLab make;
  /// Its page of the manual where that is not among the shipped ones; isolume_link_labs in CMake fills it.
  std::filesystem::path manual = {};
  /// For translators: the commands and parameters that it has when it is made.
  std::function<std::vector<commands::Declaration>()> commands = nullptr;
  std::function<std::vector<parameters::Description>()> parameters = nullptr;
};

}  // namespace isolume::workbench
