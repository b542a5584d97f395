// livewire.slice.* and livewire.window.*: what is looked at.
#include <utility>

#include <fmt/format.h>

#include "app/labs/livewire/workspace/commands.h"
#include "app/labs/livewire/workspace/workspace.h"
#include "app/slices/linked_slices.h"
#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/translated.h"
#include "core/base/error.h"
#include "core/base/letter_case.h"
#include "core/images/window.h"

namespace isolume::labs::livewire {
namespace {

int slice_count(const Workspace& workspace, int axis) {
  return workspace.image().volume.geometry.dimensions[static_cast<std::size_t>(axis)];
}

void step(Workspace& workspace, int by) {
  images::SliceId slice = workspace.model().slice();
  slice.index += by;
  workspace.model().set_slice(slice);
}

images::PatientPlane plane_named(const std::string& name) {
  if (name == "axial") return images::PatientPlane::axial;
  if (name == "coronal") return images::PatientPlane::coronal;
  return images::PatientPlane::sagittal;
}

void show(Workspace& workspace, const Arguments& arguments) {
  const std::string name = arguments.text("plane");
  const auto plane = plane_named(name);
  if (!arguments.has("number")) return workspace.views().set_large_plane(plane);
  const int axis = images::axis_of(workspace.image().volume.geometry, plane);
  const int number = arguments.integer("number");
  if (number > slice_count(workspace, axis)) {
    throw Error(workbench::said(QObject::tr("There is no slice %1: the image has %2 %3 slices."), number,
                                slice_count(workspace, axis), name));
  }
  workspace.model().set_slice({axis, number - 1});
}

/// Through the parameters, so that it can be undone, also while another lab is shown. Throws Error, and
/// changes nothing, for a width of 0 or less.
void set_window(Workspace& workspace, double centre, double width) {
  workspace.context().set_parameters(QObject::tr("Window"), {{"window-centre", parameters::to_text(centre)},
                                                             {"window-width", parameters::to_text(width)}});
}

/// From all voxels, by a job: "full" from the least to the greatest value, "auto" leaves out 1 % at both
/// ends.
void measured_window(Workspace& workspace, bool full) {
  workspace.context().jobs.submit(
      workbench::said(QObject::tr("Window")), "livewire.window",
      [&workspace, full, volume = workspace.image().volume](const jobs::Progress& progress) {
        const auto window = full ? images::window_over(images::value_range(volume))
                                 : images::percentile_window(volume, 0.01, 0.99, progress);
        progress.check();
        workspace.later([&workspace, window, storage = volume.storage] {
          const bool still_open =
              workspace.model().image() != nullptr && workspace.image().volume.storage == storage;
          if (still_open) set_window(workspace, window.centre, window.width);
        });
      });
}

void preset(Workspace& workspace, const std::string& name) {
  if (name == "full" || name == "auto") return measured_window(workspace, name == "full");
  std::vector<images::Window> known = workspace.image().windows;
  known.insert(known.end(), images::ct_windows().begin(), images::ct_windows().end());
  std::string names = "image, full, auto";
  if (name == "image") {
    const auto first = images::first_window(workspace.image());
    return set_window(workspace, first.centre, first.width);
  }
  for (const auto& window : known) {
    if (window.name.empty()) continue;
    if (preset_key(window.name) == name) return set_window(workspace, window.centre, window.width);
    names += ", " + preset_key(window.name);
  }
  throw Error(workbench::said(QObject::tr("There is no window %1; the windows are %2."),
                              isolume::quoted(name), names));
}

}  // namespace

std::string preset_key(std::string name) {
  for (char& c : name) c = c == ' ' ? '-' : lower_case(c);
  return name;
}

void add_slice_commands(Workspace& workspace) {
  auto& commands = workspace.context().commands;
  const auto without_image = [&workspace] { return workspace.without_image(); };
  const auto add = [&](const char* name, commands::Action run, const char* shortcut = "") {
    commands.bind(name, std::move(run), without_image, {.shortcut = shortcut});
  };
  add("livewire.slice.show", [&](const Arguments& arguments) { show(workspace, arguments); });
  commands.bind(
      "livewire.slice.space",
      [&](const Arguments&) { workspace.views().set_space_alone(!workspace.views().space_alone()); },
      without_image, {.checked = [&workspace] { return workspace.views().space_alone(); }});
  add(
      "livewire.slice.next", [&](const Arguments&) { step(workspace, 1); }, "Ctrl+Up");
  add(
      "livewire.slice.previous", [&](const Arguments&) { step(workspace, -1); }, "Ctrl+Down");
  add("livewire.slice.go-to", [&](const Arguments& arguments) {
    workspace.views().go_to({arguments.number("x"), arguments.number("y"), arguments.number("z")});
  });
  add(
      "livewire.slice.fit", [&](const Arguments&) { workspace.views().large().fit(); }, "Ctrl+Shift+0");
  add("livewire.slice.zoom",
      [&](const Arguments& arguments) { workspace.views().large().zoom_by(arguments.number("factor")); });
  add("livewire.slice.frame", [&](const Arguments& arguments) {
    workspace.views().large().look_at({arguments.number("x"), arguments.number("y")},
                                      arguments.number("scale"));
  });
  add("livewire.window.preset",
      [&](const Arguments& arguments) { preset(workspace, arguments.text("name")); });
  commands.bind("livewire.window.invert",
                [&](const Arguments&) {
                  const bool is_inverted = workspace.tool_parameters().invert;
                  workspace.context().set_parameters(QObject::tr("Invert"),
                                                     {{"invert", is_inverted ? "false" : "true"}});
                },
                without_image,
                {.shortcut = "I", .checked = [&workspace] { return workspace.tool_parameters().invert; }});
  add("livewire.window.set", [&](const Arguments& arguments) {
    set_window(workspace, arguments.number("centre"), arguments.number("width"));
  });
}

}  // namespace isolume::labs::livewire
