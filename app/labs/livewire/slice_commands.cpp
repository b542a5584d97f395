// slice.* and window.*: what is looked at.
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "app/labs/livewire/commands.h"
#include "app/labs/livewire/views.h"
#include "app/labs/livewire/workspace.h"
#include "app/workbench/command_registry.h"
#include "core/base/error.h"
#include "core/images/window.h"

namespace isolume::labs::livewire {
namespace {

int slice_count(const Workspace& workspace, int axis) {
  return workspace.image().volume.geometry.size[static_cast<std::size_t>(axis)];
}

void step(Workspace& workspace, int by) {
  images::SliceId slice = workspace.model().slice();
  slice.index += by;
  workspace.model().set_slice(slice);
}

images::PatientPlane plane_named(const std::string& name) {
  if (name == "axial") return images::PatientPlane::axial;
  if (name == "coronal") return images::PatientPlane::coronal;
  if (name == "sagittal") return images::PatientPlane::sagittal;
  throw Error(fmt::format("Expected axial, coronal or sagittal, found {}.", isolume::quoted(name)));
}

void show(Workspace& workspace, Arguments arguments) {
  const auto plane = plane_named(arguments[0]);
  if (arguments.size() == 1) return workspace.views().set_large_plane(plane);
  const int axis = images::axis_of(workspace.image().volume.geometry, plane);
  const int number = counted(arguments, 1, "a slice");
  if (number > slice_count(workspace, axis)) {
    throw Error(fmt::format("There is no slice {}: the image has {} {} slices.", number,
                            slice_count(workspace, axis), arguments[0]));
  }
  workspace.model().set_slice({axis, number - 1});
}

std::string preset_key(std::string name) {
  for (char& c : name) c = c == ' ' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
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
      "Window", "livewire.window",
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
  throw Error(fmt::format("There is no window {}; there are {}.", isolume::quoted(name), names));
}

}  // namespace

void add_slice_commands(Workspace& workspace) {
  auto& commands = workspace.context().commands;
  const auto without_image = [&workspace] { return workspace.without_image(); };
  const auto add = [&](const char* name, const char* title, const char* help, const char* arguments,
                       const char* shortcut, std::function<void(Arguments)> run) {
    commands.add({name, title, help, arguments, shortcut, std::move(run), without_image});
  };
  add("slice.show", "Show slice", "Shows a plane in the large view, at the crosshair or at the given slice.",
      "axial | coronal | sagittal [NUMBER]", "", [&](Arguments arguments) { show(workspace, arguments); });
  commands.add(
      {.name = "slice.space",
       .title = "3D view alone",
       .help = "Gives the 3D view all the room, or takes it back.",
       .arguments = "",
       .shortcut = "",
       .run =
           [&workspace](Arguments) { workspace.views().set_space_alone(!workspace.views().space_alone()); },
       .unavailable = without_image,
       .checked = [&workspace] { return workspace.views().space_alone(); }});
  add("slice.next", "Next slice", "One slice on.", "", "Ctrl+Up", [&](Arguments) { step(workspace, 1); });
  add("slice.previous", "Previous slice", "One slice back.", "", "Ctrl+Down",
      [&](Arguments) { step(workspace, -1); });
  add("slice.go-to", "Go to position",
      "Puts the crosshair at a position of the patient, in mm (x left, y back, "
      "z head).",
      "X Y Z", "", [&](Arguments arguments) {
        workspace.views().go_to(
            {real(arguments, 0, "x in mm"), real(arguments, 1, "y in mm"), real(arguments, 2, "z in mm")});
      });
  add("slice.fit", "Fit slice", "Shows the whole slice.", "", "Ctrl+Shift+0",
      [&](Arguments) { workspace.views().large().fit(); });
  add("slice.zoom", "Zoom", "Enlarges the large view by a factor.", "FACTOR", "", [&](Arguments arguments) {
    const double factor = real(arguments, 0, "a factor");
    if (factor <= 0) throw Error("Expected a factor above 0.");
    workspace.views().large().zoom_by(factor);
  });
  add("window.preset", "Window preset",
      "Grey levels for lung, bone, brain or soft-tissue, the image's own, full range or auto (1st to 99th "
      "percentile).",
      "NAME", "", [&](Arguments arguments) { preset(workspace, arguments[0]); });
  add("window.set", "Set window", "Centre and width of the grey levels, in the image's unit.", "CENTRE WIDTH",
      "", [&](Arguments arguments) {
        set_window(workspace, real(arguments, 0, "a centre"), real(arguments, 1, "a width"));
      });
}

}  // namespace isolume::labs::livewire
