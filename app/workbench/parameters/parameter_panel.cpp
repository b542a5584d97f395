#include "app/workbench/parameters/parameter_panel.h"

#include <QApplication>
#include <QCheckBox>
#include <QColorDialog>
#include <QComboBox>
#include <QFormLayout>
#include <QGroupBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QScreen>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QSlider>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/scene/drawing/text_style.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/look/icons.h"
#include "app/workbench/parameters/number_box.h"
#include "app/workbench/parameters/slider_scale.h"
#include "app/workbench/parameters/typed_text.h"
#include "app/workbench/parameters/value_text.h"
#include "core/base/shown_number.h"
#include "core/parameters/relevance.h"

namespace isolume::workbench {
namespace {

using parameters::Description;
using parameters::Kind;
using parameters::Value;

constexpr int milliseconds_between_gestures = 800;

QString named(const Description& description, const char* part) {
  return QString::fromStdString(description.key) + "." + part;
}

QString unit_for_people(const std::string& unit) {
  return QString::fromStdString(scene::pretty_unit(unit));
}

/// The help, followed by the range, "From 1e-6 to 10 bohr⁻³ᐟ²", and the name in commands.
QString tool_tip(const Description& description) {
  QString text = QString::fromStdString(description.help);
  if (std::isfinite(description.high - description.low)) {
    const auto number = [](double value) { return QString::fromStdString(shown_setting(value)); };
    text +=
        "\n" + QObject::tr("From %1 to %2 %3")
                   .arg(number(description.low), number(description.high), unit_for_people(description.unit))
                   .trimmed();
  }
  for (const auto& each : description.special_values)
    text += QStringLiteral("\n%1: %2")
                .arg(QString::fromStdString(shown_setting(each.value)), QString::fromStdString(each.label));
  return text.trimmed() + QObject::tr("\nName in commands: %1").arg(QString::fromStdString(description.key));
}

/// "Isovalue / bohr⁻³ᐟ²", as in the head of a table.
QString label_text(const Description& description) {
  const QString label = QString::fromStdString(description.label);
  return description.unit.empty() ? label : label + " / " + unit_for_people(description.unit);
}

void introduce(QWidget& widget, const Description& description, const char* part) {
  widget.setObjectName(named(description, part));
  widget.setAccessibleName(QString::fromStdString(description.label));
  widget.setAccessibleDescription(QString::fromStdString(description.help));
  widget.setToolTip(tool_tip(description));
}

bool same_rows(const std::vector<ParameterRow>& rows, const std::vector<Description>& descriptions) {
  return std::equal(rows.begin(), rows.end(), descriptions.begin(), descriptions.end(),
                    [](const ParameterRow& row, const Description& each) {
                      const Description& known = row.description;
                      return known.key == each.key && known.low == each.low && known.high == each.high &&
                             known.kind == each.kind && known.choices.size() == each.choices.size() &&
                             std::ranges::equal(known.choices, each.choices, {}, &parameters::Choice::key,
                                                &parameters::Choice::key);
                    });
}

/// What changes in place: unit, usual range and the labels of choices.
bool same_texts_and_range(const Description& a, const Description& b) {
  const auto ends = [](const Description& each) {
    return each.usual ? std::pair(each.usual->low, each.usual->high) : std::pair(each.low, each.high);
  };
  return a.unit == b.unit && ends(a) == ends(b) &&
         std::ranges::equal(a.choices, b.choices, {}, &parameters::Choice::label, &parameters::Choice::label);
}

/// Whether the two are too wide for one line of a panel of the usual width.
bool needs_own_line(const QLabel& label, const QWidget& editor) {
  constexpr int usual_letters = 36;
  return qobject_cast<const QComboBox*>(&editor) != nullptr &&
         label.sizeHint().width() + editor.sizeHint().width() >
             usual_letters * label.fontMetrics().averageCharWidth();
}

void show_default(QToolButton& reset, const Description& description) {
  reset.setToolTip(
      QObject::tr("Reset to %1")
          .arg(QString::fromStdString(value_for_people(description, description.default_value))));
}

double as_number(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  return std::get<double>(value);
}

/// Wheel turns scroll the panel unless the editor was chosen first: otherwise a slider under the pointer
/// would change the picture by accident.
class WheelNeedsFocus final : public QObject {
 public:
  using QObject::QObject;
  bool eventFilter(QObject* watched, QEvent* event) override {
    auto* widget = qobject_cast<QWidget*>(watched);
    if (event->type() != QEvent::Wheel || widget == nullptr || widget->hasFocus()) return false;
    event->ignore();
    return true;
  }
};

/// Several schemas may contribute to a group; groups stay in the order in which they first appear.
void put_groups_together(std::vector<Description>& descriptions) {
  std::vector<std::string> groups;
  for (const Description& each : descriptions) {
    if (std::ranges::find(groups, each.group) == groups.end()) groups.push_back(each.group);
  }
  const auto place = [&groups](const Description& each) {
    return std::ranges::find(groups, each.group) - groups.begin();
  };
  if (!std::ranges::is_sorted(descriptions, {}, place)) std::ranges::stable_sort(descriptions, {}, place);
}

}  // namespace

bool something_to_choose(const Description& description) {
  if (description.kind == Kind::choice) return description.choices.size() > 1;
  return description.kind != Kind::integer || description.low < description.high;
}

ParameterPanel::ParameterPanel(ParameterActions actions, QWidget* parent)
    : QWidget(parent), actions_(std::move(actions)), scroll_(new QScrollArea) {
  setAccessibleName(tr("Parameters"));
  scroll_->setWidgetResizable(true);
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(scroll_);
  gesture_rest_.setSingleShot(true);
  gesture_rest_.setInterval(milliseconds_between_gestures);
  connect(&gesture_rest_, &QTimer::timeout, this, &ParameterPanel::end_gesture);
  connect(qApp, &QApplication::focusChanged, this, &ParameterPanel::show_withheld);
}

void ParameterPanel::show_parameters(const parameters::ParameterSet* set) {
  auto descriptions = set == nullptr ? std::vector<Description>() : set->descriptions();
  put_groups_together(descriptions);
  if (!same_rows(rows_, descriptions)) build(descriptions);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    ParameterRow& row = rows_[i];
    if (row.source != descriptions[i]) follow(row, descriptions[i]);
    const Value value = set->get(row.description.key);
    show_value(row, value);
    row.reset->setEnabled(value != row.description.default_value);
  }
  if (set != nullptr) show_relevant(*set, descriptions);
}

void ParameterPanel::follow(ParameterRow& row, const Description& source) {
  const bool in_hand = row.slider != nullptr && row.slider->isSliderDown();
  const Description changed = translated(source);
  if (!in_hand) row.source = source;  // otherwise again when it is released
  // It may follow the document, or a value that is computed.
  if (row.description.default_value != changed.default_value) {
    row.description.default_value = changed.default_value;
    show_default(*row.reset, row.description);
  }
  if (row.follow && !in_hand && !same_texts_and_range(row.description, changed)) {
    row.description = changed;
    row.follow(row.description);
  }
}

/// What is being typed is not replaced by a value that arrives meanwhile: that of a computation, or of a scene that
/// plays.
void ParameterPanel::show_value(ParameterRow& row, const Value& value) {
  const QWidget* focused = row.editor->window()->focusWidget();
  const bool in_focus = focused != nullptr && (focused == row.editor || focused == row.editor->focusProxy());
  if (in_focus && half_typed(row.editor)) {
    row.withheld = value;
    return;
  }
  row.withheld.reset();
  row.show(value);
}

void ParameterPanel::show_withheld() {
  for (ParameterRow& row : rows_) {
    if (row.withheld) show_value(row, Value(*row.withheld));
  }
}

bool ParameterPanel::lead_to(std::string_view key) {
  const auto row =
      std::ranges::find_if(rows_, [key](const ParameterRow& each) { return each.description.key == key; });
  if (row == rows_.end() || !row->form->isRowVisible(row->field)) return false;
  scroll_->ensureWidgetVisible(row->field);
  row->editor->setFocus(Qt::TabFocusReason);  // as after the Tab key: selects the content
  return true;
}

void ParameterPanel::refuse(std::string_view key, std::string_view text) {
  const auto row =
      std::ranges::find_if(rows_, [key](const ParameterRow& each) { return each.description.key == key; });
  auto* edit = row == rows_.end() ? nullptr : qobject_cast<QLineEdit*>(row->editor);
  QWidget* focused = window()->focusWidget();
  if (edit == nullptr || (focused != nullptr && half_typed(focused)) || !lead_to(key)) return;
  type_again(*edit, QString::fromUtf8(text.data(), static_cast<int>(text.size())));
}

void ParameterPanel::show_relevant(const parameters::ParameterSet& set,
                                   const std::vector<Description>& descriptions) {
  const auto relevant = parameters::relevant_keys(set, descriptions);
  std::map<QWidget*, bool> boxes;
  for (const ParameterRow& row : rows_) {
    const bool wanted = something_to_choose(row.description) && relevant.contains(row.description.key);
    if (row.form->isRowVisible(row.field) != wanted) row.form->setRowVisible(row.field, wanted);
    boxes[row.form->parentWidget()] |= wanted;
  }
  for (const auto& [box, wanted] : boxes) {
    if (box->isHidden() == wanted) box->setVisible(wanted);
  }
}

void ParameterPanel::build(const std::vector<Description>& descriptions) {
  rows_.clear();
  auto* content = new QWidget;
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(4, 4, 4, 4);
  QFormLayout* form = nullptr;
  std::string group;
  for (const Description& source : descriptions) {
    const Description description = translated(source);
    if (form == nullptr || description.group != group) {
      group = description.group;
      auto* box = new QGroupBox(QString::fromStdString(group));
      form = new QFormLayout(box);
      form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
      form->setRowWrapPolicy(QFormLayout::DontWrapRows);  // hidden rows would displace wrapped ones
      column->addWidget(box);
    }
    add_row(*form, description);
    rows_.back().source = source;
  }
  column->addStretch();
  auto* wheel_filter = new WheelNeedsFocus(content);
  for (auto* each : content->findChildren<QWidget*>()) {
    if (qobject_cast<QAbstractSlider*>(each) || qobject_cast<QAbstractSpinBox*>(each) ||
        qobject_cast<QComboBox*>(each)) {
      each->setFocusPolicy(Qt::StrongFocus);
      each->installEventFilter(wheel_filter);
    }
  }
  // A change by one of the old rows may be what led here: it stays until its signal has been handled.
  if (QWidget* old = scroll_->takeWidget()) old->deleteLater();
  scroll_->setWidget(content);
  // A narrower panel would cut rows; but on a small screen the view needs room more.
  const int needed = content->minimumSizeHint().width() + scroll_->verticalScrollBar()->sizeHint().width();
  scroll_->setMinimumWidth(std::min(needed, screen()->availableSize().width() / 3));
}

void ParameterPanel::add_row(QFormLayout& form, const Description& description) {
  ParameterRow row{.description = description, .show = {}};
  QWidget* editor = make_editor(description, row);

  auto* reset = new QToolButton;
  introduce(*reset, description, "reset");
  reset->setIcon(icon("reset"));
  reset->setAutoRaise(true);
  show_default(*reset, description);
  reset->setAccessibleName(tr("Reset %1").arg(QString::fromStdString(description.label)));
  connect(reset, &QToolButton::clicked, this, [this, editor, key = description.key] {
    discard_half_typed(editor);
    end_gesture();
    actions_.reset(key);
  });

  auto* field = new QWidget;
  auto* column = new QVBoxLayout(field);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* line = new QHBoxLayout;
  column->addLayout(line);
  line->addWidget(editor, row.slider == nullptr ? 1 : 0);
  line->addWidget(reset);
  if (description.kind == Kind::flag) {
    form.addRow(field);
  } else {
    auto* label = new QLabel(label_text(description));
    label->setToolTip(tool_tip(description));
    if (row.follow) {
      row.follow = [label, follow = std::move(row.follow)](const Description& changed) {
        label->setText(label_text(changed));
        label->setToolTip(tool_tip(changed));
        follow(changed);
      };
    }
    label->setBuddy(editor);
    if (row.slider == nullptr && !needs_own_line(*label, *editor)) {
      form.addRow(label, field);
    } else if (row.slider == nullptr) {
      column->insertWidget(0, label);
      form.addRow(field);
    } else {
      // A slider has the panel's whole width, below its label and number: next to them it would be too short
      // for precise use.
      line->insertWidget(0, label);
      line->insertStretch(1);
      column->addWidget(row.slider);
      form.addRow(field);
    }
  }
  row.form = &form;
  row.reset = reset;
  row.editor = editor;
  row.field = field;
  rows_.push_back(std::move(row));
}

QWidget* ParameterPanel::make_editor(const Description& description, ParameterRow& row) {
  switch (description.kind) {
    case Kind::flag:
      return make_flag(description, row);
    case Kind::choice:
      return make_choice(description, row);
    case Kind::text:
      return make_text(description, row);
    case Kind::integer:
    case Kind::real:
      break;
  }
  return make_number(description, row);
}

QWidget* ParameterPanel::make_number(const Description& description, ParameterRow& row) {
  const bool integer = description.kind == Kind::integer;
  auto* number = new NumberBox(description.scale == parameters::Scale::logarithmic);
  introduce(*number, description, "number");
  number->set_special_values(description.special_values);
  const double widest = integer ? 9e15 : std::numeric_limits<double>::max();
  number->setRange(std::max(description.low, -widest), std::min(description.high, widest));
  const double span = description.usual ? description.usual->high - description.usual->low
                                        : description.high - description.low;
  number->setSingleStep(
      integer ? 1
              : (SliderScale::fits(description) ? std::pow(10.0, std::floor(std::log10(span / 20))) : 0.1));

  const auto text_of = [integer](double value) {
    return integer ? parameters::to_text(static_cast<std::int64_t>(std::llround(value)))
                   : parameters::to_text(value);
  };
  // The box's own hint considers only its limits, which are shorter than the values between them.
  const int buttons = 2 * number->fontMetrics().height();
  int widest_text = number->fontMetrics().horizontalAdvance("0.01234");
  for (const auto& each : description.special_values)
    widest_text =
        std::max(widest_text, number->fontMetrics().horizontalAdvance(QString::fromStdString(each.label)));
  number->setMinimumWidth(widest_text + buttons);
  connect(number, &QDoubleSpinBox::valueChanged, this,
          [this, key = description.key, text_of](double value) { set_in_gesture(key, text_of(value)); });

  QSlider* slider = nullptr;
  const auto scale = std::make_shared<SliderScale>(description);
  if (SliderScale::fits(description)) {
    slider = new QSlider(Qt::Horizontal);
    introduce(*slider, description, "slider");
    slider->setRange(0, scale->last_position());
    slider->setPageStep(std::max(1, scale->last_position() / 20));
    connect(slider, &QSlider::sliderPressed, this, [this] {
      end_gesture();
      dragging_ = true;
      actions_.begin_gesture();
    });
    connect(slider, &QSlider::sliderReleased, this, [this] {
      dragging_ = false;
      actions_.end_gesture();
    });
    connect(slider, &QSlider::valueChanged, this,
            [this, key = description.key, scale, text_of](int position) {
              set_in_gesture(key, text_of(scale->value(position)));
            });
    row.slider = slider;
  }
  row.follow = [number, slider, scale](const Description& changed) {
    *scale = SliderScale(changed);
    for (QWidget* each : {static_cast<QWidget*>(number), static_cast<QWidget*>(slider)}) {
      if (each != nullptr) each->setToolTip(tool_tip(changed));
    }
  };
  row.show = [number, slider, scale, low = number->minimum(), high = number->maximum()](const Value& value) {
    const QSignalBlocker quiet_number(number);
    const double shown = as_number(value);
    const double least = std::min(low, shown),
                 most = std::max(high, shown);  // what is computed may be beyond
    if (number->minimum() != least || number->maximum() != most) number->setRange(least, most);
    if (number->value() != shown) number->setValue(shown);
    if (slider == nullptr) return;
    const QSignalBlocker quiet_slider(slider);
    // Several values share a position: a dragged slider keeps its position.
    if (!slider->isSliderDown()) slider->setValue(scale->position(shown));
  };
  return number;
}

QWidget* ParameterPanel::make_flag(const Description& description, ParameterRow& row) {
  auto* box = new QCheckBox(QString::fromStdString(description.label));
  introduce(*box, description, "flag");
  connect(box, &QCheckBox::clicked, this, [this, key = description.key](bool on) {
    end_gesture();
    actions_.set(key, parameters::to_text(Value(on)));
  });
  row.show = [box](const Value& value) { box->setChecked(std::get<bool>(value)); };
  return box;
}

QWidget* ParameterPanel::make_choice(const Description& description, ParameterRow& row) {
  auto* box = new QComboBox;
  introduce(*box, description, "choice");
  for (const auto& choice : description.choices) {
    box->addItem(QString::fromStdString(choice.label), QString::fromStdString(choice.key));
  }
  box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  box->setMinimumWidth(box->sizeHint().width());  // shows all texts in full
  connect(box, &QComboBox::activated, this, [this, box, key = description.key](int index) {
    end_gesture();
    actions_.set(key, box->itemData(index).toString().toStdString());
  });
  row.follow = [box](const Description& now) {
    for (int i = 0; i < box->count(); ++i)
      box->setItemText(i, QString::fromStdString(now.choices[static_cast<std::size_t>(i)].label));
    box->setMinimumWidth(box->sizeHint().width());
  };
  row.show = [box](const Value& value) {
    const QVariant key = QString::fromStdString(std::get<std::string>(value));
    if (box->currentData() != key) box->setCurrentIndex(box->findData(key));
  };
  return box;
}

QWidget* ParameterPanel::make_text(const Description& description, ParameterRow& row) {
  auto* edit = new QLineEdit;
  introduce(*edit, description, "text");
  edit->setMinimumWidth(edit->fontMetrics().horizontalAdvance("#000000") + edit->fontMetrics().height());
  connect(edit, &QLineEdit::editingFinished, this, [this, edit, key = description.key] {
    if (!edit->isModified()) return;
    if (!edit->hasFocus() && gives_up_refused(*edit)) return;
    const QString typed = edit->text();
    edit->setModified(false);
    end_gesture();
    if (!actions_.set(key, typed.toStdString()) && edit->hasFocus()) type_again(*edit, typed);
  });
  row.show = [edit](const Value& value) {
    const QString text = QString::fromStdString(std::get<std::string>(value));
    if (edit->text() != text || edit->isModified()) edit->setText(text);
  };
  if (!description.colour) return edit;

  auto* both = new QWidget;
  both->setFocusProxy(edit);
  auto* line = new QHBoxLayout(both);
  line->setContentsMargins(0, 0, 0, 0);
  auto* picker = static_cast<QToolButton*>(make_colour_button(description));
  line->addWidget(picker);
  line->addWidget(edit, 1);
  row.show = [edit, picker](const Value& value) {
    const QString text = QString::fromStdString(std::get<std::string>(value));
    if (edit->text() != text || edit->isModified()) edit->setText(text);
    if (picker->property("text") == text) return;
    const QColor colour(text);
    QPixmap swatch(32, 32);
    swatch.fill(colour.isValid() ? colour : QColor(Qt::transparent));
    picker->setIcon(swatch);
    picker->setProperty("colour", colour);
    picker->setProperty("text", text);
  };
  return both;
}

QWidget* ParameterPanel::make_colour_button(const Description& description) {
  auto* picker = new QToolButton;
  introduce(*picker, description, "picker");
  picker->setAccessibleName(tr("Choose %1").arg(QString::fromStdString(description.label)));
  connect(picker, &QToolButton::clicked, this, [this, picker, key = description.key] {
    auto* dialog = new QColorDialog(picker->property("colour").value<QColor>(), this);
    dialog->setObjectName("colour-dialog");
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QColorDialog::currentColorChanged, this, [this, key](const QColor& colour) {
      if (colour.isValid()) set_in_gesture(key, colour.name().toStdString());
    });
    // All changes in the dialog are one undo step, and none if it is cancelled.
    end_gesture();
    dragging_ = true;
    actions_.begin_gesture();
    const QString before = picker->property("text").toString();
    connect(dialog, &QColorDialog::rejected, this,
            [this, key, before] { set_in_gesture(key, before.toStdString()); });
    connect(dialog, &QColorDialog::finished, this, [this] {
      dragging_ = false;
      end_gesture();
    });
    dialog->open();
  });
  return picker;
}

void ParameterPanel::set_in_gesture(const std::string& key, const std::string& text) {
  if (!dragging_) {
    if (gesture_key_ != key) {
      end_gesture();
      actions_.begin_gesture();
      gesture_key_ = key;
    }
    gesture_rest_.start();
  }
  actions_.set(key, text);
}

void ParameterPanel::end_gesture() {
  gesture_rest_.stop();
  gesture_key_.clear();
  actions_.end_gesture();
}

}  // namespace isolume::workbench

#include "moc_parameter_panel.cpp"
