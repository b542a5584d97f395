#include "app/workbench/parameters/parameter_history.h"

#include <QUndoCommand>
#include <QUndoStack>
#include <utility>

#include "app/workbench/contract/lab.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/parameters/value_text.h"
#include "core/base/error_text.h"
#include "core/base/logging.h"

namespace isolume::workbench {
namespace {

using parameters::Description;
using parameters::Value;

parameters::ParameterSet& parameters_of(Lab& lab) {
  parameters::ParameterSet* set = lab.parameters();
  if (set == nullptr)
    throw Error(QObject::tr("There are no parameters yet. Open a file first.").toStdString());
  return *set;
}

/// The same value, or Error where the lab does not allow it now.
Value allowed(Lab& lab, const std::string& key, const Value& value) {
  return parameters::validated(parameters_of(lab).description(key), value);
}

/// Sets the lab's value; if that throws, the old value is restored.
void apply(Lab& lab, const std::string& key, const Value& value, const Value& before) {
  try {
    lab.set_parameter(key, value);
  } catch (...) {
    const parameters::ParameterSet* set = lab.parameters();
    if (set != nullptr && set->has(key) && set->get(key) != before) {
      try {
        lab.set_parameter(key, before);
      } catch (const std::exception& error) {
        log::error("{}", isolume::error_text(error));  // the first error is the one to report
      }
    }
    throw;
  }
}

/// Values that accompany another one: see Lab::goes_with.
using Companions = std::vector<std::pair<std::string, Value>>;

Companions companions_of(Lab& lab, const std::string& key, const Value& value) {
  Companions found;
  const parameters::ParameterSet* set = lab.parameters();
  if (set == nullptr) return found;
  for (const std::string& each : lab.goes_with(key, value)) {
    if (set->has(each)) found.emplace_back(each, set->get(each));
  }
  return found;
}

bool can_be_chosen(const Description& description, const Value& value) {
  try {
    parameters::validated(description, value);
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// In two rounds, as some values go together only once all of them are set.
void give_back(Lab& lab, const Companions& companions) {
  for (const bool last : {false, true}) {
    for (const auto& [key, value] : companions) {
      if (lab.parameters()->get(key) == value) continue;
      try {
        lab.set_parameter(key, allowed(lab, key, value));
      } catch (const Error& error) {
        if (last) log::error("{}", isolume::error_text(error));
      }
    }
  }
}

}  // namespace

/// A change of one parameter, with the consequent changes of others by the lab.
class ParameterHistory::Change final : public QUndoCommand {
 public:
  Change(ParameterHistory& history, Description description, Value before, Value after)
      : history_(history),
        description_(std::move(description)),
        before_(std::move(before)),
        after_(std::move(after)),
        with_before_(companions_of(history.lab_, description_.key, before_)),
        gesture_(history.gesture_) {}

  /// Makes the change for the first time. If it throws, nothing is changed.
  void make() {
    Change* const outer = std::exchange(history_.around_, this);
    try {
      apply(history_.lab_, description_.key, after_, before_);
    } catch (...) {
      history_.around_ = outer;
      undo_others();
      throw;
    }
    history_.around_ = outer;
  }
  void add(std::unique_ptr<Change> other) {
    other->done_ = true;
    others_.push_back(std::move(other));
  }

  bool sets(std::string_view key, std::string_view text) const {
    return description_.key == key && parameters::to_text(after_) == text;
  }

  /// The texts for users: not before the change is on the stack, as it may become a part of another one.
  void describe() {
    const auto text = [this](const Value& value) {
      const std::string shown = value_for_people(description_, value);
      const bool is_label =
          description_.kind == parameters::Kind::choice || !special_label(description_, value).empty();
      return is_label ? translated(shown) : QString::fromStdString(shown);
    };
    setText(QStringLiteral("%1: %2 → %3").arg(translated(description_.label), text(before_), text(after_)));
  }

  /// Whether this one, if it comes after that one, becomes a part of it.
  bool continues(const QUndoCommand* earlier) const {
    const auto* change = dynamic_cast<const Change*>(earlier);
    return change != nullptr && gesture_ > 0 && change->gesture_ == gesture_ &&
           change->description_.key == description_.key;
  }

  int id() const override { return gesture_ > 0 ? gesture_ : -1; }
  bool mergeWith(const QUndoCommand* other) override {
    // Entries of other kinds share the stack, and have merge ids of their own.
    const auto* const later = dynamic_cast<const Change*>(other);
    if (later == nullptr || !later->continues(this)) return false;
    after_ = later->after_;
    for (auto& each : later->others_) others_.push_back(std::move(each));
    setObsolete(after_ == before_ && others_.empty());
    describe();
    return true;
  }
  void undo() override {
    const Replay replay(history_);
    // Now, as jobs may have computed them since the change.
    with_after_ = companions_of(history_.lab_, description_.key, after_);
    // Computed values may be outside the allowed choices: then they are computed again.
    if (others_.empty() || can_be_chosen(description_, before_))
      apply(history_.lab_, description_.key, allowed(history_.lab_, description_.key, before_), after_);
    give_back(history_.lab_, with_before_);
    undo_others();
  }
  void redo() override {
    // The change is made before it is pushed, so that a refusal reaches the caller.
    if (!std::exchange(done_, true)) return;
    const Replay replay(history_);
    for (const auto& each : others_) each->redo();
    apply(history_.lab_, description_.key, allowed(history_.lab_, description_.key, after_), before_);
    give_back(history_.lab_, with_after_);
  }

 private:
  /// Meanwhile, changes by the lab are on the stack already.
  struct Replay {
    explicit Replay(ParameterHistory& of) : history(of), before(std::exchange(of.replays_, true)) {}
    ~Replay() { history.replays_ = before; }
    Replay(const Replay&) = delete;
    Replay& operator=(const Replay&) = delete;
    ParameterHistory& history;
    bool before;
  };

  void undo_others() {
    for (auto each = others_.rbegin(); each != others_.rend(); ++each) (*each)->undo();
  }

  ParameterHistory& history_;
  Description description_;
  Value before_;
  Value after_;
  Companions with_before_, with_after_;
  mutable std::vector<std::unique_ptr<Change>> others_;  ///< in the order in which they were made
  int gesture_;
  bool done_ = false;
};

namespace {

/// Makes the changes; if one is refused, those before it are undone.
template <class Changes, class Make>
void undone_if_refused(const Changes& changes, Make make) {
  try {
    make();
  } catch (...) {
    for (auto change = changes.rbegin(); change != changes.rend(); ++change) (*change)->undo();
    throw;
  }
}

}  // namespace

void ParameterHistory::set_text(std::string_view key, std::string_view text) {
  Description description = parameters_of(lab_).description(key);
  Value value = parameters::parse(description, text);
  push(changed(std::move(description), std::move(value)));
}

/// `after` is valid.
std::unique_ptr<ParameterHistory::Change> ParameterHistory::changed(Description description, Value after) {
  Value before = parameters_of(lab_).get(description.key);
  if (before == after) return nullptr;
  auto change = std::make_unique<Change>(*this, std::move(description), std::move(before), std::move(after));
  change->make();
  return change;
}

/// Null: there is nothing to undo.
void ParameterHistory::push(std::unique_ptr<Change> change) {
  if (!change) return;
  if (undo_.index() == 0 || !change->continues(undo_.command(undo_.index() - 1))) change->describe();
  undo_.push(change.release());
}

void ParameterHistory::set(std::string_view key, const Value& value) {
  Description description = parameters_of(lab_).description(key);
  Value valid = parameters::validated(description, value);
  push(changed(std::move(description), std::move(valid)));
}

void ParameterHistory::reset(std::string_view key) {
  Description description = parameters_of(lab_).description(key);
  Value value = parameters::validated(description, description.default_value);
  push(changed(std::move(description), std::move(value)));
}

void ParameterHistory::set_texts(const QString& what,
                                 const std::vector<std::pair<std::string, std::string>>& values) {
  const parameters::ParameterSet& set = parameters_of(lab_);
  std::vector<std::pair<std::string, Value>> changed;
  for (const auto& [key, text] : values) {
    Value value = parameters::parse(set.description(key), text);
    if (value != set.get(key)) changed.emplace_back(key, std::move(value));
  }
  if (replays_) {
    for (const auto& [key, value] : changed) lab_.set_parameter(key, allowed(lab_, key, value));
    return;
  }
  // Within a gesture it merges with the previous change.
  if (changed.size() == 1 && gesture_ != 0 && around_ == nullptr)
    return this->set(changed.front().first, changed.front().second);
  if (!changed.empty()) set_together(what, changed);
}

/// A value may change another parameter, even to what is no default: the second pass resets those. Defaults of computed
/// values follow other parameters. What the lab keeps is reset before and after, since the changes, and those that are
/// made again, may add to it.
void ParameterHistory::reset_all() {
  const parameters::ParameterSet& set = parameters_of(lab_);
  auto kept_before = lab_.reset_kept();
  std::vector<std::unique_ptr<Change>> changes;
  undone_if_refused(changes, [&] {
    for (int pass = 0; pass < 2; ++pass) {
      for (const Description& each : set.descriptions()) {
        Description now = set.description(each.key);
        Value value = parameters::validated(now, now.default_value);
        if (auto change = changed(std::move(now), std::move(value))) changes.push_back(std::move(change));
      }
    }
  });
  auto kept_after = lab_.reset_kept();
  if (!kept_before && !kept_after && changes.empty()) return;
  undo_.beginMacro(QObject::tr("Reset all parameters"));
  if (kept_before) undo_.push(kept_before.release());
  for (auto& change : changes) push(std::move(change));
  if (kept_after) undo_.push(kept_after.release());
  undo_.endMacro();
}

void ParameterHistory::take_back(std::string_view key, std::string_view text) {
  const int last = undo_.index() - 1;
  if (last < 0 || last + 1 < undo_.count()) return;
  auto* entry =
      const_cast<QUndoCommand*>(undo_.command(last));  // to mark it is what the stack provides for this
  const auto* change = dynamic_cast<const Change*>(entry->childCount() == 1 ? entry->child(0) : entry);
  if (change == nullptr || !change->sets(key, text)) return;
  entry->setObsolete(true);
  undo_.undo();
}

void ParameterHistory::set_together(const QString& what,
                                    const std::vector<std::pair<std::string, Value>>& values) {
  std::vector<std::unique_ptr<Change>> changes;
  undone_if_refused(changes, [&] {
    // Each is validated when those before it are set, as they may change what is allowed.
    for (const auto& [key, value] : values) {
      Description description = parameters_of(lab_).description(key);
      Value valid = parameters::validated(description, value);
      if (auto change = changed(std::move(description), std::move(valid)))
        changes.push_back(std::move(change));
    }
  });
  if (changes.empty()) return;
  if (around_ != nullptr) {
    for (auto& change : changes) around_->add(std::move(change));
    return;
  }
  undo_.beginMacro(what);
  for (auto& change : changes) push(std::move(change));
  undo_.endMacro();
}

}  // namespace isolume::workbench
