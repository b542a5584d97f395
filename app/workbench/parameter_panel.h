#pragma once

#include <QTimer>
#include <QWidget>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/parameters/schema.h"

class QFormLayout;
class QScrollArea;
class QSlider;

namespace isolume::workbench {

/// What a panel does with a person's move. Every change is one call of `set`, live while dragging; changes
/// between `begin_gesture` and `end_gesture` belong together.
struct ParameterActions {
  std::function<void(const std::string& key, const std::string& text)> set;
  std::function<void(const std::string& key)> reset;
  std::function<void()> begin_gesture;
  std::function<void()> end_gesture;
};

/// One parameter's row: how it shows a value, follows a change of unit and usual range, and where it stands.
struct ParameterRow {
  parameters::Description description;
  std::function<void(const parameters::Value& value)> show;
  std::function<void(const parameters::Description& description)> follow = {};  ///< null where neither is
  QFormLayout* form = nullptr;
  QWidget* field = nullptr;
  QWidget* editor = nullptr;  ///< for the keyboard
  QSlider* slider = nullptr;  ///< null where there is none
};

/// Whether there is more than one value: otherwise the panel hides the parameter.
bool something_to_choose(const parameters::Description& description);

/// The panel of a lab's parameters, made from their descriptions alone: grouped, with units, ranges, help as
/// tool tips, and a button that puts the default back. Parameters that do not matter now, and those with
/// nothing to choose, are hidden. Its editors are named after the keys:
/// "isovalue.slider", "isovalue.number", "style.choice", "atoms.flag", "positive-colour.text",
/// "positive-colour.picker", "isovalue.reset".
class ParameterPanel : public QWidget {
  Q_OBJECT
 public:
  explicit ParameterPanel(ParameterActions actions, QWidget* parent = nullptr);

  /// Follows the set: builds the rows anew when the descriptions changed, and shows the values. Units and
  /// usual ranges change in place, those of a slider in hand when it is let go. Null empties the panel.
  void show_parameters(const parameters::ParameterSet* set);

  /// Scrolls to a parameter's editor and gives it the keyboard. False where the parameter is hidden now.
  bool lead_to(std::string_view key);

 private:
  void build(const std::vector<parameters::Description>& descriptions);
  void show_relevant(const parameters::ParameterSet& set);
  void add_row(QFormLayout& form, const parameters::Description& description);
  QWidget* make_editor(const parameters::Description& description, ParameterRow& row);
  QWidget* make_number(const parameters::Description& description, ParameterRow& row);
  QWidget* make_flag(const parameters::Description& description, ParameterRow& row);
  QWidget* make_choice(const parameters::Description& description, ParameterRow& row);
  QWidget* make_text(const parameters::Description& description, ParameterRow& row);
  QWidget* make_colour_button(const parameters::Description& description);
  /// A change by wheel or keys: those that follow within a moment belong to the same gesture.
  void set_in_gesture(const std::string& key, const std::string& text);
  void end_gesture();

  ParameterActions actions_;
  QScrollArea* scroll_;
  std::vector<ParameterRow> rows_;
  QTimer gesture_rest_;
  std::string gesture_key_;
  bool dragging_ = false;
};

}  // namespace isolume::workbench
