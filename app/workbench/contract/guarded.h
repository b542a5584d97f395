#pragma once

#include <QPointer>
#include <utility>

namespace isolume::workbench {

/// For `LabContext::on_gui_thread`: the action is dropped if its object no longer exists.
template <class Object, class Action>
auto guarded(Object* object, Action action) {
  return [alive = QPointer<Object>(object), action = std::move(action)] {
    if (alive) action();
  };
}

}  // namespace isolume::workbench
