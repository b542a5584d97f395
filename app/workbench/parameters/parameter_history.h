#pragma once

#include <QString>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/parameters/description.h"

class QUndoCommand;
class QUndoStack;

namespace isolume::workbench {

class Lab;

/// Changes a lab's parameters so that every change can be undone. All changes of one parameter within one
/// gesture (a slider drag, a spin of the wheel) become one undo entry, together with the changes that the lab
/// makes in consequence.
class ParameterHistory {
 public:
  ParameterHistory(Lab& lab, QUndoStack& undo) : lab_(lab), undo_(undo) {}

  /// Throws Error and changes nothing if there is no such parameter or the value is not allowed.
  void set_text(std::string_view key, std::string_view text);
  void set(std::string_view key, const parameters::Value& value);
  /// Sets several as one undo entry named `what`. If one is refused, none is changed.
  void set_texts(const QString& what, const std::vector<std::pair<std::string, std::string>>& values);
  /// Restores the default: of one parameter, or of all, shown or not, with what the lab keeps (Lab::reset_kept), as one
  /// undo entry.
  void reset(std::string_view key);
  void reset_all();
  /// Removes the last entry if it set this parameter alone to this value, which turned out to be impossible.
  void take_back(std::string_view key, std::string_view text);

  /// From now on until `end_gesture`, changes merge with each other, but not with earlier ones.
  void begin_gesture() { gesture_ = ++last_gesture_; }
  void end_gesture() { gesture_ = 0; }
  /// Whether an entry is being undone or redone.
  bool replays() const { return replays_; }

 private:
  class Change;
  /// Sets the value; null if it is set already. If it throws, nothing is changed.
  std::unique_ptr<Change> changed(parameters::Description description, parameters::Value after);
  void push(std::unique_ptr<Change> change);
  void set_together(const QString& what,
                    const std::vector<std::pair<std::string, parameters::Value>>& values);

  Lab& lab_;
  QUndoStack& undo_;
  int gesture_ = 0;
  int last_gesture_ = 0;
  Change* around_ = nullptr;  ///< the current change, which includes the lab's consequent changes
  bool replays_ = false;
};

}  // namespace isolume::workbench
