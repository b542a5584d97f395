#pragma once

#include <QUndoCommand>
#include <functional>
#include <utility>

namespace isolume::workbench {

/// A step of undo for a value that is no parameter: `use` gets what it becomes, also when the step is pushed.
template <class Value>
class ValueChange final : public QUndoCommand {
 public:
  using Use = std::function<void(const Value&)>;
  ValueChange(const QString& what, Value before, Value after, Use use)
      : QUndoCommand(what), before_(std::move(before)), after_(std::move(after)), use_(std::move(use)) {}
  void undo() override { use_(before_); }
  void redo() override { use_(after_); }

 private:
  const Value before_, after_;
  const Use use_;
};

}  // namespace isolume::workbench
