#pragma once

#include <QTimer>
#include <QWidget>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/parameters/schema.h"

class QFormLayout;
class QScrollArea;
class QSlider;
class QToolButton;

namespace isolume::workbench {

/// The actions of a panel. Every change is one call of `set`, live while dragging; changes between
/// `begin_gesture` and `end_gesture` belong together.
struct ParameterActions {
  std::function<bool(const std::string& key, const std::string& text)> set;  ///< false: the text was refused
  std::function<void(const std::string& key)> reset;
  std::function<void()> begin_gesture;
  std::function<void()> end_gesture;
};

/// One parameter's row: its widgets, and functions that show a value and adapt to a changed unit, usual range and
/// labels of choices.
struct ParameterRow {
  parameters::Description description;  ///< as shown: translated
  parameters::Description source = {};  ///< the same as the set describes it
  std::function<void(const parameters::Value& value)> show;
  std::function<void(const parameters::Description& description)> follow =
      {};  ///< null if it has none of them
  QFormLayout* form = nullptr;
  QWidget* field = nullptr;
  QWidget* editor = nullptr;  ///< gets the focus
  QSlider* slider = nullptr;  ///< null if there is none
  QToolButton* reset = nullptr;
  std::optional<parameters::Value> withheld = {};  ///< the value, while another one is being typed
};

/// Whether there is more than one value; otherwise the panel hides the parameter.
bool something_to_choose(const parameters::Description& description);

/// The panel of a lab's parameters, built from their descriptions alone: grouped, with units, ranges, help as
/// tool tips, and a button that restores the default. Parameters that do not matter now, and those without a
/// choice, are hidden. Its editors are named after the keys: "isovalue.slider", "isovalue.number",
/// "style.choice", "atoms.flag", "positive-colour.text", "positive-colour.picker", "isovalue.reset".
class ParameterPanel : public QWidget {
  Q_OBJECT
 public:
  explicit ParameterPanel(ParameterActions actions, QWidget* parent = nullptr);

  /// Follows the set: rebuilds the rows if the descriptions changed, and shows the values. Units and usual
  /// ranges change in place, those of a dragged slider when it is released. Null empties the panel.
  void show_parameters(const parameters::ParameterSet* set);

  /// Scrolls to a parameter's editor and gives it the focus. Returns false if the parameter is hidden now.
  bool lead_to(std::string_view key);
  /// Puts text that was refused later back into its field, as if the person were still typing it. Nothing happens where
  /// something else is being typed.
  void refuse(std::string_view key, std::string_view text);

 private:
  void show_value(ParameterRow& row, const parameters::Value& value);
  void show_withheld();
  void build(const std::vector<parameters::Description>& descriptions);
  void follow(ParameterRow& row, const parameters::Description& source);
  void show_relevant(const parameters::ParameterSet& set,
                     const std::vector<parameters::Description>& descriptions);
  void add_row(QFormLayout& form, const parameters::Description& description);
  QWidget* make_editor(const parameters::Description& description, ParameterRow& row);
  QWidget* make_number(const parameters::Description& description, ParameterRow& row);
  QWidget* make_flag(const parameters::Description& description, ParameterRow& row);
  QWidget* make_choice(const parameters::Description& description, ParameterRow& row);
  QWidget* make_text(const parameters::Description& description, ParameterRow& row);
  QWidget* make_colour_button(const parameters::Description& description);
  /// A change by wheel or keys: changes that follow within a short time belong to the same gesture.
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
