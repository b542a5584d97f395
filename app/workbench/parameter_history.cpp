#include "app/workbench/parameter_history.h"

#include <QUndoCommand>
#include <QUndoStack>
#include <utility>

#include <fmt/format.h>

#include "app/workbench/lab.h"
#include "app/workbench/translated.h"
#include "app/workbench/value_text.h"
#include "core/base/error_text.h"
#include "core/base/logging.h"

namespace isolume::workbench {
namespace {

using parameters::Description;
using parameters::Value;

/// Gives the lab the value; where it throws, the parameter is again what it was.
void apply(Lab& lab, const std::string& key, const Value& value, const Value& before) {
  try {
    lab.set_parameter(key, value);
  } catch (...) {
    const parameters::ParameterSet* set = lab.parameters();
    if (set != nullptr && set->has(key) && set->get(key) != before) {
      try {
        lab.set_parameter(key, before);
      } catch (const std::exception& error) {
        log::error("{}", isolume::error_text(error));  // the refusal is what the person must know
      }
    }
    throw;
  }
}

class ParameterChange final : public QUndoCommand {
 public:
  ParameterChange(Lab& lab, Description description, Value before, Value after, int gesture)
      : lab_(lab),
        description_(std::move(description)),
        before_(std::move(before)),
        after_(std::move(after)),
        gesture_(gesture) {
    describe();
  }

  int id() const override { return gesture_ > 0 ? gesture_ : -1; }
  bool mergeWith(const QUndoCommand* other) override {
    // Entries of other kinds stand on the same stack, and number what merges by themselves.
    const auto* const later = dynamic_cast<const ParameterChange*>(other);
    if (later == nullptr || later->description_.key != description_.key) return false;
    after_ = later->after_;
    setObsolete(after_ == before_);
    describe();
    return true;
  }
  void undo() override { apply(lab_, description_.key, before_, after_); }
  void redo() override {
    // The history has set the value already when it pushes, so that a refusal reaches the caller.
    if (!std::exchange(done_, true)) return;
    apply(lab_, description_.key, after_, before_);
  }

 private:
  void describe() {
    const Description shown = translated(description_);
    setText(QString::fromStdString(fmt::format("{}: {} → {}", shown.label, value_for_people(shown, before_),
                                               value_for_people(shown, after_))));
  }

  Lab& lab_;
  Description description_;
  Value before_;
  Value after_;
  int gesture_;
  bool done_ = false;
};

parameters::ParameterSet& parameters_of(Lab& lab) {
  parameters::ParameterSet* set = lab.parameters();
  if (set == nullptr)
    throw Error(QObject::tr("There are no parameters yet. Open a file first.").toStdString());
  return *set;
}

}  // namespace

void ParameterHistory::set_text(std::string_view key, std::string_view text) {
  set(key, parameters::parse(parameters_of(lab_).description(key), text));
}

std::unique_ptr<QUndoCommand> ParameterHistory::changed(std::string_view key, const Value& value) {
  parameters::ParameterSet& set = parameters_of(lab_);
  Description description = set.description(key);
  Value before = set.get(key);
  Value after = parameters::validated(description, value);
  if (before == after) return nullptr;
  apply(lab_, description.key, after, before);
  return std::make_unique<ParameterChange>(lab_, std::move(description), std::move(before), std::move(after),
                                           gesture_);
}

void ParameterHistory::set(std::string_view key, const Value& value) {
  if (auto change = changed(key, value)) undo_.push(change.release());
}

void ParameterHistory::reset(std::string_view key) {
  set(key, parameters_of(lab_).description(key).default_value);
}

void ParameterHistory::set_texts(const QString& what,
                                 const std::vector<std::pair<std::string, std::string>>& values) {
  const parameters::ParameterSet& set = parameters_of(lab_);
  std::vector<std::pair<std::string, Value>> changed;
  for (const auto& [key, text] : values) {
    const Description description = set.description(key);
    Value value = parameters::validated(description, parameters::parse(description, text));
    if (value != set.get(key)) changed.emplace_back(key, std::move(value));
  }
  // Within a gesture it becomes one with the change before.
  if (changed.size() == 1 && gesture_ != 0) return this->set(changed.front().first, changed.front().second);
  if (!changed.empty()) set_together(what, changed);
}

void ParameterHistory::reset_all() {
  std::vector<std::pair<std::string, Value>> values;
  for (const Description& each : parameters_of(lab_).descriptions())
    values.emplace_back(each.key, each.default_value);
  set_together(QObject::tr("Reset all parameters"), values);
}

void ParameterHistory::set_together(const QString& what,
                                    const std::vector<std::pair<std::string, Value>>& values) {
  std::vector<std::unique_ptr<QUndoCommand>> changes;
  try {
    for (const auto& [key, value] : values) {
      if (auto change = changed(key, value)) changes.push_back(std::move(change));
    }
  } catch (...) {
    for (auto change = changes.rbegin(); change != changes.rend(); ++change) (*change)->undo();
    throw;
  }
  if (changes.empty()) return;
  undo_.beginMacro(what);
  for (auto& change : changes) undo_.push(change.release());
  undo_.endMacro();
}

}  // namespace isolume::workbench
