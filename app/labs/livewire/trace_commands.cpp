// livewire.*: tracing a contour.
#include "app/labs/livewire/commands.h"
#include "app/labs/livewire/workspace.h"
#include "app/workbench/command_registry.h"

namespace isolume::labs::livewire {
namespace {

Eigen::Vector2d place(Arguments arguments) {
  return {real(arguments, 0, "x in pixels"), real(arguments, 1, "y in pixels")};
}

void press(TracingTool& tool, const Eigen::Vector2d& at) {
  tool.move(at);
  tool.press(at);
  tool.release(at);
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
      "livewire.restore", "Restore dropped contour", "Brings back the contour that was dropped last.", "",
      [&tool](Arguments) { tool.restore(); }, without_image, "Ctrl+R");
}

}  // namespace isolume::labs::livewire
