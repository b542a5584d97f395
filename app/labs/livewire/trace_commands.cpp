// livewire.*: tracing a contour.
#include <algorithm>
#include <cmath>

#include "app/labs/livewire/commands.h"
#include "app/labs/livewire/views.h"
#include "app/labs/livewire/workspace.h"
#include "app/workbench/command_registry.h"
#include "core/base/error.h"

namespace isolume::labs::livewire {

namespace science = isolume::livewire;

namespace {

Eigen::Vector2d place(Arguments arguments) {
  return {real(arguments, 0, "x in pixels"), real(arguments, 1, "y in pixels")};
}

void press(TracingTool& tool, const Eigen::Vector2d& at) {
  tool.move(at);
  tool.press(at);
  tool.release(at);
}

/// Whole pixels; negative ones are cut off with the slice.
int pixels(Arguments arguments, std::size_t index, const char* what) {
  return static_cast<int>(std::lround(std::clamp(real(arguments, index, what), -1e6, 1e6)));
}

science::Rectangle region(Arguments arguments) {
  const science::Rectangle wanted{pixels(arguments, 0, "x in pixels"), pixels(arguments, 1, "y in pixels"),
                                  pixels(arguments, 2, "width in pixels"),
                                  pixels(arguments, 3, "height in pixels")};
  if (wanted.empty()) throw Error("The region must be at least one pixel wide and high.");
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
  const auto without_draft = [&tool] { return tool.tracing() ? "" : "No contour is being traced."; };
  const auto add = [&](const char* name, const char* title, const char* help, const char* arguments,
                       std::function<void(Arguments)> run, std::function<std::string()> unavailable,
                       const char* shortcut = "") {
    commands.add({name, title, help, arguments, shortcut, std::move(run), std::move(unavailable)});
  };
  add(
      "livewire.move", "Move the wire", "Leads the live wire to a place, as the pointer does.", "X Y",
      [&tool](Arguments arguments) { tool.move(place(arguments)); }, without_image);
  add(
      "livewire.press", "Put a seed",
      "Clicks at a place: the first seed, the next one, or, near the first, "
      "closing.",
      "X Y", [&tool](Arguments arguments) { press(tool, place(arguments)); }, without_image);
  add(
      "livewire.close", "Close contour", "Closes the contour being traced (Enter in the view).", "",
      [&tool](Arguments) { tool.close(); }, without_draft);
  add(
      "livewire.finish-open", "End contour open",
      "Ends the contour being traced without closing it (O in the "
      "view).",
      "", [&tool](Arguments) { tool.finish_open(); }, without_draft);
  add(
      "livewire.undo-seed", "Take back last seed",
      "Takes back the last seed of the contour being traced "
      "(Backspace in the view).",
      "", [&tool](Arguments) { tool.undo_seed(); }, without_draft);
  add(
      "livewire.cancel", "Drop contour",
      "Drops the contour being traced (Escape in the view); "
      "livewire.restore brings it back.",
      "", [&tool](Arguments) { tool.escape(); }, without_draft);
  add(
      "livewire.region", "Keep the wire in a region",
      "The wire stays among these pixels of the shown slice and of all along its axis.", "X Y WIDTH HEIGHT",
      [&workspace](Arguments arguments) { workspace.set_region(region(arguments)); }, without_image);
  add(
      "livewire.region-view", "Keep the wire in the view", "The wire stays in what the large view shows now.",
      "", [&workspace](Arguments) { workspace.set_region(seen(workspace.views().large())); }, without_image);
  add(
      "livewire.region-clear", "Let the wire go everywhere", "Takes the region away that the wire kept to.",
      "", [&workspace](Arguments) { workspace.set_region({}); },
      [&workspace] { return workspace.region().empty() ? "The wire goes everywhere already." : ""; });
  add(
      "livewire.restore", "Restore dropped contour", "Brings back the contour that was dropped last.", "",
      [&tool](Arguments) { tool.restore(); }, without_image, "Ctrl+R");
}

}  // namespace isolume::labs::livewire
