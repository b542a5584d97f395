#pragma once

#include <QUndoCommand>
#include <QUndoStack>
#include <functional>
#include <utility>

namespace isolume::workbench {

/// A step of undo for a value that is no parameter: `use` gets what it becomes, also when the step is pushed.
template <class Value>
class ValueChange final : public QUndoCommand {
 public:
  using Use = std::function<void(const Value&)>;
  /// Consecutive steps with the same `merge_id` that is not -1 become one.
  ValueChange(const QString& what, Value before, Value after, Use use, int merge_id = -1)
      : QUndoCommand(what),
        before_(std::move(before)),
        after_(std::move(after)),
        use_(std::move(use)),
        merge_id_(merge_id) {}
  void undo() override { use_(before_); }
  void redo() override { use_(after_); }
  int id() const override { return merge_id_; }
  bool mergeWith(const QUndoCommand* later) override {
    const auto* change = dynamic_cast<const ValueChange*>(later);
    if (change != nullptr) after_ = change->after_;
    return change != nullptr;
  }
  const Value& after() const { return after_; }

 private:
  const Value before_;
  Value after_;
  const Use use_;
  const int merge_id_;
};

/// Removes the last step, which a job has refused, and uses the value before it. Does nothing where the last step is
/// another one or was undone.
template <class Value>
void take_back(QUndoStack& undo, const Value& refused) {
  const int last = undo.index() - 1;
  if (last < 0 || last + 1 < undo.count()) return;
  // To mark a step is what the stack provides for this.
  auto* change = dynamic_cast<ValueChange<Value>*>(const_cast<QUndoCommand*>(undo.command(last)));
  if (change == nullptr || !(change->after() == refused)) return;
  change->setObsolete(true);
  undo.undo();
}

}  // namespace isolume::workbench
