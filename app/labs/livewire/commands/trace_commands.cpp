// livewire.*: tracing a contour.
#include <algorithm>
#include <cmath>

#include "app/labs/livewire/workspace/commands.h"
#include "app/labs/livewire/workspace/workspace.h"
#include "app/slices/linked_slices.h"
#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/translated.h"
#include "core/base/error.h"

namespace isolume::labs::livewire {

namespace science = isolume::livewire;

namespace {

Eigen::Vector2d place(const Arguments& arguments) {
  return {arguments.number("x"), arguments.number("y")};
}

void press(TracingTool& tool, const Eigen::Vector2d& at) {
  tool.move(at);
  tool.press(at);
  tool.release(at);
}

/// Whole pixels; negative ones are cut off with the slice.
int pixels(const Arguments& arguments, const char* name) {
  return static_cast<int>(std::lround(std::clamp(arguments.number(name), -1e6, 1e6)));
}

science::Rectangle region(const Arguments& arguments) {
  const science::Rectangle wanted{pixels(arguments, "x"), pixels(arguments, "y"), pixels(arguments, "width"),
                                  pixels(arguments, "height")};
  if (wanted.empty())
    throw Error(workbench::said(QObject::tr("The region must be at least one pixel wide and high.")));
  return wanted;
}

/// What the large view shows.
science::Rectangle seen(const slices::SliceView& view) {
  const Eigen::Vector2d corner = view.to_place(view.rect().topLeft()),
                        opposite = view.to_place(view.rect().bottomRight());
  const Eigen::Vector2i first = corner.cwiseMin(opposite).array().ceil().cast<int>(),
                        last = corner.cwiseMax(opposite).array().floor().cast<int>();
  return {first.x(), first.y(), last.x() - first.x() + 1, last.y() - first.y() + 1};
}

}  // namespace

void add_trace_commands(Workspace& workspace) {
  auto& commands = workspace.context().commands;
  auto& tool = workspace.tool();
  const auto without_image = [&workspace] { return workspace.without_image(); };
  const auto without_draft = [&tool] {
    return tool.tracing() ? std::string() : workbench::said(QObject::tr("No contour is being traced."));
  };
  // A measurement or another tool takes the mouse and is drawn in place of the trace.
  const auto unless_drawing = [&workspace] {
    if (workspace.ruler().measuring())
      return workbench::said(QObject::tr("Finish or cancel the measurement first."));
    if (workspace.brush().active())
      return workbench::said(QObject::tr("Choose the tool Trace first (Esc in the view)."));
    return workspace.without_image();
  };
  commands.bind("livewire.tool.trace", [&workspace](const Arguments&) { workspace.choose_tool({}); },
                without_image,
                {.checked = [&workspace] { return !workspace.brush().active(); },
                 .unticked_by = "livewire.tool.trace"});
  commands.bind(
      "livewire.move", [&tool](const Arguments& arguments) { tool.move(place(arguments)); }, without_image);
  commands.bind(
      "livewire.press", [&tool](const Arguments& arguments) { press(tool, place(arguments)); },
      unless_drawing);
  commands.bind("livewire.close", [&tool](const Arguments&) { tool.close(); }, without_draft,
                {.key_in_view = "Return"});
  commands.bind("livewire.finish-open", [&tool](const Arguments&) { tool.finish_open(); }, without_draft,
                {.key_in_view = "O"});
  commands.bind("livewire.undo-seed", [&tool](const Arguments&) { tool.undo_seed(); }, without_draft,
                {.key_in_view = "Backspace"});
  commands.bind("livewire.cancel", [&tool](const Arguments&) { tool.escape(); }, without_draft,
                {.key_in_view = "Esc"});
  commands.bind(
      "livewire.region", [&](const Arguments& arguments) { workspace.restrict_wire(region(arguments)); },
      without_image);
  commands.bind(
      "livewire.region-view",
      [&](const Arguments&) { workspace.restrict_wire(seen(workspace.views().large())); }, without_image);
  commands.bind(
      "livewire.region-clear", [&](const Arguments&) { workspace.restrict_wire({}); },
      [&] {
        return workspace.region().empty() ? workbench::said(QObject::tr("The wire has no region."))
                                          : std::string();
      });
  commands.bind(
      "livewire.restore", [&tool](const Arguments&) { tool.restore(); },
      [&tool, unless_drawing] {
        if (const std::string why = unless_drawing(); !why.empty()) return why;
        return tool.tracer().can_restore() ? std::string()
                                           : workbench::said(QObject::tr("No contour has been discarded."));
      },
      {.shortcut = "Ctrl+R"});
}

}  // namespace isolume::labs::livewire
