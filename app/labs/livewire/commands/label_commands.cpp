// livewire.label.*: what is segmented.
#include <fmt/format.h>

#include "app/labs/livewire/workspace/commands.h"
#include "app/labs/livewire/workspace/workspace.h"
#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/translated.h"
#include "core/base/error.h"

namespace isolume::labs::livewire {
namespace {

using contours::Label;

void put(Workspace& workspace, const QString& text, Label label) {
  contours::ContourSet next = workspace.model().contours();
  next.put_label(std::move(label));
  workspace.model().change(text, std::move(next));
}

/// The current label, changed.
void change_current(Workspace& workspace, const QString& text, const std::function<void(Label&)>& change) {
  const Label* current = workspace.model().contours().label(workspace.model().current_label());
  if (current == nullptr)
    throw Error(workbench::said(QObject::tr("There is no label. Add one with livewire.label.add.")));
  Label label = *current;
  change(label);
  put(workspace, text, std::move(label));
}

void rename(Workspace& workspace, const std::string& name) {
  contours::ContourSet next = workspace.model().contours();
  next.rename_label(workspace.model().current_label(), name);
  workspace.model().change(QObject::tr("Rename label"), std::move(next));
}

void add_label(Workspace& workspace, const std::string& name) {
  const auto& set = workspace.model().contours();
  const int value = set.unused_label_value();
  put(workspace, QObject::tr("Add label"),
      {.value = value,
       .name = name,
       .colour =
           set.unused_colour().value_or(contours::label_colour(static_cast<int>(set.labels().size())))});
  workspace.model().set_current_label(value);
}

void remove(Workspace& workspace, const Arguments& arguments) {
  const int value = existing_label(workspace, arguments);
  contours::ContourSet next = workspace.model().contours();
  for (const auto& each : next.contours()) {
    if (each->label == value && workspace.model().locked(*each))
      throw Error(workbench::said(QObject::tr("%1 is locked. Unlock it, or its label, first."), each->name));
  }
  next.remove_label(value);
  workspace.model().change(QObject::tr("Remove label"), std::move(next));
}

}  // namespace

int existing_label(const Workspace& workspace, const Arguments& arguments) {
  const int value = arguments.integer("label");
  if (workspace.model().contours().label(value) == nullptr)
    throw Error(workbench::said(QObject::tr("There is no label %1."), value));
  return value;
}

void add_label_commands(Workspace& workspace) {
  auto& commands = workspace.context().commands;
  const auto add = [&](const char* name, commands::Action run) {
    commands.bind(name, std::move(run), [&workspace] { return workspace.without_image(); });
  };
  add("livewire.label.add",
      [&](const Arguments& arguments) { add_label(workspace, arguments.text("name")); });
  add("livewire.label.rename",
      [&](const Arguments& arguments) { rename(workspace, arguments.text("name")); });
  add("livewire.label.colour", [&](const Arguments& arguments) {
    const std::string colour = arguments.text("colour");
    change_current(workspace, QObject::tr("Colour"), [&](Label& label) { label.colour = colour; });
  });
  add("livewire.label.select", [&](const Arguments& arguments) {
    workspace.model().set_current_label(existing_label(workspace, arguments));
  });
  add("livewire.label.lock", [&](const Arguments&) {
    change_current(workspace, QObject::tr("Lock label"), [](Label& each) { each.locked = !each.locked; });
  });
  add("livewire.label.hide", [&](const Arguments&) {
    change_current(workspace, QObject::tr("Hide label"), [](Label& each) { each.visible = !each.visible; });
  });
  add("livewire.label.remove", [&](const Arguments& arguments) { remove(workspace, arguments); });
}

}  // namespace isolume::labs::livewire
