#pragma once

#include <QObject>
#include <QString>
#include <QUndoCommand>
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
#include "core/commands/lab_description.h"
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

/// Services of the workbench for a lab.
struct LabContext {
  CommandRegistry& commands;
  jobs::JobRunner& jobs;
  QUndoStack& undo;
  scene::ViewWidget& view;
  /// Posts `action` to the GUI thread; callable from jobs.
  std::function<void(std::function<void()> action)> on_gui_thread;
  /// One line in the status bar: the field, its engine, its time in ms.
  std::function<void(const QString& text)> show_status;
  /// A banner above the view that stays until closed or replaced; an empty text removes it.
  std::function<void(const QString& text)> show_warning;
  /// After `show_warning`: a button in that banner, with its title, which runs a command. It goes with the text.
  std::function<void(const QString& title, const std::string& command)> show_offer = {};
  /// To be called on the GUI thread when a document has become the shown one: `path` enters the recent files
  /// (empty: it is no file), `title` the window's caption; the undo stack starts anew and the parameter panel
  /// is built from `Lab::parameters()`.
  std::function<void(const std::filesystem::path& path, const QString& title)> document_opened = {};
  /// Sets several of the lab's own parameters (as text) as one step of undo, whether the lab is shown or not.
  /// Throws Error and changes nothing if one is not allowed.
  std::function<void(const QString& what, const std::vector<std::pair<std::string, std::string>>& values)>
      set_parameters = {};
  /// Changes of parameters by commands between them are one step of undo, and one line of a recording: a slider of a lab's
  /// panel is dragged.
  std::function<void()> begin_gesture = {}, end_gesture = {};
  /// Call on the GUI thread when parameter values have changed by other means than `set_parameter`.
  std::function<void()> parameters_changed = {};
  /// Call on the GUI thread when a job has found a value of a parameter to be impossible, after the earlier value has been
  /// put back: its step of undo goes, and the text returns to its field, to be corrected.
  std::function<void(const std::string& key, const std::string& text)> refused = {};
  /// Call on the GUI thread when the availability of commands may have changed by other means than commands
  /// and jobs.
  std::function<void()> availability_changed = {};
  /// Call on the GUI thread when the result of `Lab::state` has changed without parameters or an undo entry:
  /// it is then saved for recovery after a crash.
  std::function<void()> state_changed = {};
  /// For a further view of a lab besides `view`: its mouse movements become gestures and are recorded in the
  /// same way.
  std::function<void(scene::ViewWidget& view)> adopt_view = {};
  /// Whether a session's state of the document is being restored. A picture that cannot be computed is then shown as
  /// such, and is no failure of opening the session.
  std::function<bool()> restoring = {};
  /// Whether a step of undo is being undone or redone: what was there then may come back.
  std::function<bool()> undoing = {};
  /// Whether the dark theme is active.
  std::function<bool()> dark = {};
};

struct LabPanel {
  QString title;    ///< in English, by which commands call it: QT_TRANSLATE_NOOP("declared", "Measures")
  QWidget* widget;  ///< owned by the workbench, which puts it into a dock
  Qt::DockWidgetArea area;
};

/// The range that a movie of a lab can run through: its time, or the slices of an image.
struct Passage {
  QString name;  ///< "Time"
  QString unit;  ///< for users; may be empty
  double from = 0, to = 0;
  double now = 0;
  double seconds = 1;                    ///< usual duration from one end to the other
  bool loops = false;                    ///< whether its end looks like its start
  std::function<void(double at)> go_to;  ///< on behalf of the current activity
};

/// A lab: its panels and its scene. It acts through commands and parameters, and never accesses the main
/// window. The commands of its description, which it binds on construction ("orbitals.slice.move"), fill the
/// lab's menu; users can run them while the lab is shown, scripts always. All other commands are the
/// workbench's. Work that a command passes to threads other than jobs must hold its jobs::Activity. All
/// functions are called on the GUI thread. All jobs have ended, and page and panels are gone, when a lab is
/// destroyed.
class Lab {
 public:
  virtual ~Lab() = default;
  virtual std::vector<LabPanel> panels() = 0;
  /// The central widget, owned by the workbench; null: `LabContext::view` alone. A page of its own puts that
  /// view into its layout, or omits it. Called once, before `panels`.
  virtual QWidget* page() { return nullptr; }
  /// Called once, after the lab was added to the window: a lab without a file calls `document_opened` here,
  /// with an empty path.
  virtual void start() {}
  /// Starts opening a file as a job; the job's failure reports errors to the user. The present document stays
  /// until the new one is ready.
  virtual void open(const std::filesystem::path& path) = 0;
  /// Opens the document of a session again; `state` is the result of an earlier `state`.
  virtual void open_again(const std::filesystem::path& path, const nlohmann::json& /*state*/) { open(path); }
  /// What a session stores besides the parameters and the camera. The returned function holds copies and is
  /// called later, off the GUI thread. Null: nothing.
  virtual std::function<nlohmann::json()> state() const { return nullptr; }
  /// Restores the result of `state` when the document is open, and parameters and camera are restored. Throws
  /// Error or JSON's exceptions for an invalid state.
  virtual void restore(const nlohmann::json& /*state*/) {}
  /// Null while nothing is open. The workbench builds the panel and the undo entries from these.
  virtual parameters::ParameterSet* parameters() = 0;
  /// Sets a parameter on behalf of the user (the undo entry exists already): stores the value, which `validated` has
  /// returned for its description, and updates the picture. Throws Error where it goes with others that it does not fit.
  virtual void set_parameter(std::string_view key, const parameters::Value& value) = 0;
  /// Parameters that this value of another one sets, and that otherwise follow the shown data: undoing a
  /// change of that one restores them, too.
  virtual std::vector<std::string> goes_with(std::string_view /*key*/,
                                             const parameters::Value& /*value*/) const {
    return {};
  }
  /// An entry of undo that removes settings which the lab keeps for what is not shown now, such as isovalues of other
  /// fields: part of a reset of all parameters. Null: there are none.
  virtual std::unique_ptr<QUndoCommand> reset_kept() { return nullptr; }
  /// Writes the picture, at once or when a job has computed it at the resolution of its size; the file exists
  /// when no job is left.
  virtual void write_image(const std::filesystem::path& path, int width, int height, bool transparent,
                           int dpi) = 0;
  /// Shows or hides what follows the pointer, while the page is copied as an image; `write_image` never shows it.
  virtual void show_previews(bool /*shown*/) {}
  /// Empty if there is no time at present.
  virtual std::optional<Passage> passage() { return std::nullopt; }
  /// Whether a movie may sweep this number: the picture follows it, and is restored when it is set back.
  virtual bool can_sweep(std::string_view /*key*/) const { return true; }
  /// Whether `write_image` shows the view from the camera's position.
  virtual bool has_camera() const { return true; }
  /// Why nothing can be exported now ("Open a file first."), or empty.
  virtual std::string nothing_to_export() {
    return parameters() == nullptr ? QObject::tr("Open a file first.").toStdString() : std::string();
  }
  /// Reports unfinished work by hand to the recorder, by CommandRegistry::note, since a script records
  /// finished actions only. Called when a recording ends.
  virtual void note_unfinished() {}
  /// Whether work other than jobs is running.
  virtual bool busy() const { return false; }
  /// Whether work begins when the hand has rested for a moment.
  virtual bool waits() const { return false; }
  /// Whether something moves until it is stopped: an animation.
  virtual bool moving() const { return false; }
  virtual void stop_moving() {}
  /// Filter patterns for the export dialog, "Cube (*.cube);;STL surface (*.stl)".
  virtual QString export_filter() const { return {}; }
  /// `file.export`: writes the shown data in the format of the suffix. Throws Error, naming the formats.
  virtual void export_file(const std::filesystem::path& path) {
    throw Error(QObject::tr("This lab cannot export %1.")
                    .arg(QString::fromStdString(isolume::quoted(path.string())))
                    .toStdString());
  }
  /// Reports the machine's devices, soon after the start (GPUs may take a second to wake up); until then a
  /// lab computes on the CPU. Called once.
  virtual void devices_found(const std::shared_ptr<dispatch::DevicePool>& /*devices*/) {}
  /// The theme has changed between dark and light.
  virtual void theme_changed(bool /*dark*/) {}
  /// The lab is shown or hidden: animations pause while it is hidden.
  virtual void shown_changed(bool /*shown*/) {}
  /// A command has fitted the scene into the view: what is shown next is fitted, too, until a hand moves the camera.
  virtual void camera_fitted() {}
  /// Panels may have come into sight: a lab computes only for those that are (`in_sight`).
  virtual void panels_seen() {}
};

using MakeLab = std::function<std::unique_ptr<Lab>(LabContext&)>;

template <class OneLab>
std::unique_ptr<Lab> make_lab(LabContext& context) {
  return std::make_unique<OneLab>(context);
}

/// Properties of a lab that are known before it is made, which happens when it is first shown.
struct LabEntry {
  LabDescription description;
  MakeLab make;  ///< called with the commands of the description declared
  /// Descriptions of what its panels show besides the lab's parameters, for translators.
  std::function<std::vector<parameters::Description>()> described = {};
  /// Its page of the manual if that is not among the shipped ones; set by isolume_link_labs in CMake.
  std::filesystem::path manual = {};
};

}  // namespace isolume::workbench
