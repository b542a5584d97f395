#include "app/labs/livewire/description.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

#include "app/labs/livewire/views/tool_parameters.h"
#include "app/workbench/commands/declared_commands.h"
#include "core/images/document.h"
#include "core/images/file_format.h"
#include "core/livewire/costs.h"
#include "core/parameters/descriptions_of.h"

namespace isolume::labs::livewire {
namespace {

using commands::Argument;
using commands::choice;
using commands::colour;
using commands::counted;
using commands::Declaration;
using commands::number;
using commands::path;
using commands::text;

/// A coordinate in the slice, or a distance.
Argument pixels(std::string name, std::string help) {
  return number(std::move(name), std::move(help)).unit("px");
}

Argument asked_path(std::string name, const std::string& help) {
  std::string without_stop = help.substr(0, help.size() - 1);
  return path(std::move(name), without_stop + "; if omitted, a dialog asks for it.").asked_for();
}

Argument label() {
  return counted("label", "The label's number.");
}

std::vector<Declaration> of_slices() {
  return {
      {.name = "livewire.slice.show",
       .title = "Show slice",
       .help = "Shows a plane in the large view, at the crosshair or at the given slice.",
       .arguments = {choice("plane", "The anatomical plane.", {"axial", "coronal", "sagittal"}),
                     counted("number", "The slice; if omitted, the one at the crosshair.").optional()}},
      {.name = "livewire.slice.space",
       .title = "Maximise 3D view",
       .help = "Enlarges the 3D view to the whole window, or shrinks it again."},
      {.name = "livewire.slice.next", .title = "Next slice", .help = "Goes to the next slice."},
      {.name = "livewire.slice.previous", .title = "Previous slice", .help = "Goes to the previous slice."},
      {.name = "livewire.slice.go-to",
       .title = "Go to position",
       .help = "Moves the crosshair to patient coordinates.",
       .arguments = {number("x", "Towards the patient's left.").unit("mm"),
                     number("y", "Towards the patient's back.").unit("mm"),
                     number("z", "Towards the patient's head.").unit("mm")}},
      {.name = "livewire.slice.fit", .title = "Fit slice", .help = "Shows the whole slice."},
      {.name = "livewire.slice.zoom",
       .title = "Zoom",
       .help = "Zooms the large view by a factor.",
       .arguments = {number("factor", "Above 1 zooms in.").range(1e-6, 1e6)}},
      {.name = "livewire.slice.frame",
       .title = "Set zoom and position",
       .help = "Centres the large view on a point of the slice, at a given scale.",
       .arguments = {pixels("x", "Column."), pixels("y", "Row."),
                     number("scale", "Screen pixels per millimetre.").unit("px/mm").range(1e-9, 1e9)}},
      {.name = "livewire.window.preset",
       .title = "Window preset",
       .help =
           "Sets the window for lung, bone, brain or soft tissue, the image's own, its full range, or auto "
           "(1st to 99th percentile).",
       .arguments = {text("name",
                          "lung, bone, brain, soft-tissue, image, full, auto, or a window of the file.")}},
      {.name = "livewire.window.set",
       .title = "Set window",
       .help = "Sets the centre (level) and width of the window, in the image's unit.",
       .arguments = {number("centre", "The value shown as middle grey."),
                     number("width", "From black to white; above 0.")}},
      {.name = "livewire.window.invert",
       .title = "Invert",
       .help = "Inverts the grey scale, or restores it."},
      {.name = "livewire.slice.play-time",
       .title = "Play time points",
       .help = "Plays the volumes of a 4-D or dynamic image in a loop (a tap of Space).",
       .keywords = "animate cine movie phases dynamic 4D gated"},
      {.name = "livewire.slice.pause-time",
       .title = "Pause time points",
       .help = "Pauses at the shown time point (a tap of Space, or Esc)."},
      {.name = "livewire.layer.play",
       .title = "Play search front",
       .help = "Animates the search front as it spreads from the last seed."},
      {.name = "livewire.layer.stop",
       .title = "Pause search front",
       .help = "Pauses the search front where it is (Esc)."},
  };
}

/// What they do to a contour is in scripts as livewire.contour.trace.
std::vector<Declaration> of_tracing() {
  std::vector<Declaration> all{
      {.name = "livewire.tool.trace",
       .title = "Trace contours",
       .help = "Returns from painting, erasing or filling to tracing with the live wire (Esc in the view)."},
      {.name = "livewire.move",
       .title = "Move the wire",
       .help = "Moves the end of the live wire to a point, as the pointer does.",
       .arguments = {pixels("x", "Column."), pixels("y", "Row.")}},
      {.name = "livewire.press",
       .title = "Place seed",
       .help = "Clicks at a point: places a seed or, near the first one, closes the contour.",
       .arguments = {pixels("x", "Column."), pixels("y", "Row.")}},
      {.name = "livewire.close",
       .title = "Close contour",
       .help = "Closes the contour being traced (Enter in the view)."},
      {.name = "livewire.finish-open",
       .title = "Finish open contour",
       .help = "Ends the contour being traced without closing it (O in the view)."},
      {.name = "livewire.undo-seed",
       .title = "Remove last seed",
       .help = "Removes the last seed of the contour being traced (Backspace in the view)."},
      {.name = "livewire.cancel",
       .title = "Discard contour",
       .help = "Discards the contour being traced (Esc in the view); livewire.restore brings it back."},
      {.name = "livewire.restore",
       .title = "Restore discarded contour",
       .help = "Brings back the contour that was discarded last."}};
  for (Declaration& each : all) each.recorded = false;
  all.push_back(
      {.name = "livewire.draft",
       .title = "Resume contour from pieces",
       .help = "Continues a contour that was left unfinished; it replaces the one being traced.",
       .arguments = {
           choice("axis", "The axis of the volume that is perpendicular to the slice.", {"0", "1", "2"}),
           counted("slice", "Number of the slice along that axis."), pixels("x", "Column of the first seed."),
           pixels("y", "Row of the first seed."),
           text("piece", "From seed to seed: wire, freehand or straight, and its points in pixels.")
               .repeatable()
               .optional()
               .shown_as("KIND:X,Y;X,Y;...")}});
  all.push_back(
      {.name = "livewire.region",
       .title = "Restrict wire to region",
       .help = "Restricts the wire to a rectangle, on this slice and all parallel slices.",
       .arguments = {pixels("x", "Left edge."), pixels("y", "Top edge."),
                     pixels("width", "At least one pixel."), pixels("height", "At least one pixel.")}});
  all.push_back({.name = "livewire.region-view",
                 .title = "Restrict wire to view",
                 .help = "Restricts the wire to the visible part of the large view."});
  all.push_back({.name = "livewire.region-clear",
                 .title = "Clear wire region",
                 .help = "Lets the wire use the whole slice again."});
  return all;
}

std::vector<Declaration> of_contours() {
  const std::string each = "number, name, axis, slice, label, closed, length_mm, area_mm2.";
  return {
      {.name = "livewire.contour.trace",
       .title = "Add contour from pieces",
       .help = "Adds a contour as it was traced, with all its points.",
       .arguments = {choice("axis", "The axis of the volume that is perpendicular to the slice.",
                            {"0", "1", "2"}),
                     counted("slice", "Number of the slice along that axis."), label(),
                     choice("end", "Whether it returns to its first seed.", {"closed", "open"}),
                     text("piece", "From seed to seed: wire, freehand or straight, and its points in pixels.")
                         .repeatable()
                         .shown_as("KIND:X,Y;X,Y;...")},
       .result = "The contour: " + each},
      {.name = "livewire.contour.list",
       .title = "List contours",
       .help = "Lists all contours with their measurements.",
       .recorded = false,
       .result = "All contours; of each " + each},
      {.name = "livewire.contour.select",
       .title = "Select contour",
       .help = "Selects a contour by its number and goes to its slice.",
       .arguments = {counted("number", "The contour's number.")},
       .result = "The contour: " + each},
      {.name = "livewire.contour.deselect", .title = "Deselect contour", .help = "Clears the selection."},
      {.name = "livewire.contour.delete", .title = "Delete contour", .help = "Deletes the selected contour."},
      {.name = "livewire.contour.move-seed",
       .title = "Move seed",
       .help = "Moves a seed of the selected contour; the adjacent wires follow.",
       .arguments = {counted("seed", "Number of the seed along the contour."), pixels("x", "Column."),
                     pixels("y", "Row.")}},
      {.name = "livewire.contour.insert-seed",
       .title = "Insert seed",
       .help =
           "Inserts a seed at the nearest point of the selected contour, and moves it if a target is given.",
       .arguments = {pixels("x", "Column."), pixels("y", "Row."),
                     pixels("to-x", "Column to move the new seed to.").optional(),
                     pixels("to-y", "Row to move the new seed to.").optional()}},
      {.name = "livewire.contour.delete-seed",
       .title = "Delete seed",
       .help = "Removes a seed from the selected contour.",
       .arguments = {counted("seed", "Number of the seed along the contour.")}},
      {.name = "livewire.contour.copy-to-next",
       .title = "Copy to next slice",
       .help = "Copies the selected contour to the next slice and snaps it to the edges there."},
      {.name = "livewire.contour.copy-to-previous",
       .title = "Copy to previous slice",
       .help = "Copies the selected contour to the previous slice and snaps it to the edges there."},
      {.name = "livewire.contour.resnap",
       .title = "Snap to edges",
       .help = "Moves the selected contour's seeds to the strongest edges nearby and recomputes its wires."},
      {.name = "livewire.contour.move",
       .title = "Move contour",
       .help = "Moves the selected contour as a whole.",
       .arguments = {pixels("dx", "Columns to move by."), pixels("dy", "Rows to move by.")}},
      {.name = "livewire.contour.lock",
       .title = "Lock contour",
       .help = "Locks the selected contour against changes, or unlocks it."},
      {.name = "livewire.contour.hide",
       .title = "Hide contour",
       .help = "Hides the selected contour, or shows it."},
      {.name = "livewire.contour.rename",
       .title = "Rename contour",
       .help = "Renames the selected contour.",
       .arguments = {text("name", "Its new name.").repeatable()}},
      {.name = "livewire.contour.colour",
       .title = "Contour colour",
       .help = "Gives the selected contour its own colour, or its label's again.",
       .arguments = {colour("colour", "A colour, or \"label\" for the label's colour.", "label")}},
      {.name = "livewire.contour.label",
       .title = "Assign label",
       .help = "Assigns the selected contour to a label.",
       .arguments = {label()}},
      {.name = "livewire.contour.combination",
       .title = "Combine contour",
       .help = "Whether the selected contour is added to its label or subtracted from it.",
       .arguments = {choice("how", "Whether to add or to subtract.", {"add", "subtract"})}},
      {.name = "livewire.contour.interpolate",
       .title = "Interpolate between slices",
       .help = "Suggests contours of the current label on the slices between contoured ones, snapped to "
               "edges."},
  };
}

std::vector<Declaration> of_labels_and_suggestions() {
  return {
      {.name = "livewire.label.add",
       .title = "Add label",
       .help = "Adds a label, e.g. for an organ; new contours are assigned to it.",
       .arguments = {text("name", "Its name.").repeatable()}},
      {.name = "livewire.label.rename",
       .title = "Rename label",
       .help = "Renames the current label and the contours named after it.",
       .arguments = {text("name", "Its new name.").repeatable()}},
      {.name = "livewire.label.colour",
       .title = "Label colour",
       .help = "Gives the current label a colour.",
       .arguments = {colour("colour", "Its new colour.")}},
      {.name = "livewire.label.select",
       .title = "Choose label",
       .help = "Assigns new contours to this label.",
       .arguments = {label()}},
      {.name = "livewire.label.lock",
       .title = "Lock or unlock label",
       .help = "Locks the current label's contours against changes, or unlocks them."},
      {.name = "livewire.label.hide",
       .title = "Show or hide label",
       .help = "Hides the current label's contours, or shows them."},
      {.name = "livewire.label.remove",
       .title = "Remove label",
       .help = "Removes a label and all its contours.",
       .arguments = {label()}},
      {.name = "livewire.suggestion.next",
       .title = "Next suggestion",
       .help = "Goes to the next suggested contour."},
      {.name = "livewire.suggestion.accept",
       .title = "Accept suggestion",
       .help = "Keeps the selected suggestion and goes to the next one."},
      {.name = "livewire.suggestion.reject",
       .title = "Reject suggestion",
       .help = "Removes the selected suggestion and goes to the next one."},
      {.name = "livewire.suggestion.accept-all",
       .title = "Accept all suggestions",
       .help = "Keeps all suggested contours."},
  };
}

Argument coordinates(std::string shown_as) {
  return text("coordinate",
              "x and y of each point on the shown slice, in pixels; if omitted, the next clicks.")
      .repeatable()
      .optional()
      .shown_as(std::move(shown_as));
}

/// Of the current label, on the shown slice.
std::vector<Declaration> of_painting() {
  const auto stroke = [] {
    return std::vector<Argument>{
        number("radius", "Radius of the brush; if omitted, drags in the view paint or erase.")
            .unit("mm")
            .range(1e-6, 1e6)
            .asked_for(),
        text("coordinate", "x and y of each point of the stroke, in pixels.")
            .repeatable()
            .optional()
            .shown_as("X Y X Y ...")};
  };
  return {
      {.name = "livewire.label.paint",
       .title = "Paint",
       .help = "Adds what a round brush covers to the current label (hold B, or choose the brush, and drag "
               "in the view).",
       .arguments = stroke()},
      {.name = "livewire.label.erase",
       .title = "Erase",
       .help = "Cuts what a round brush covers out of the current label (hold E, or choose the brush, and "
               "drag in the view).",
       .arguments = stroke()},
      {.name = "livewire.label.threshold",
       .title = "Threshold...",
       .help = "Adds the pixels with values within a range to the current label.",
       .arguments =
           {number("low", "The lowest value; if omitted, a dialog asks for the range.").asked_for(),
            number("high", "The highest value.").asked_for(),
            choice("slices", "Only the shown slice, or all along its axis.", {"shown", "all"}).optional()}},
      {.name = "livewire.label.fill",
       .title = "Fill",
       .help = "Adds the connected region of similar values around a point of the shown slice to the current "
               "label (hold G, or choose the tool, and click in the view).",
       .arguments = {pixels("x", "Column; if omitted, clicks in the view fill.").asked_for(),
                     pixels("y", "Row.").optional(),
                     number("tolerance",
                            "Largest difference from the value at the point; if omitted, the parameter Fill "
                            "tolerance.")
                         .range(0, 1e12)
                         .optional()}},
  };
}

std::vector<Declaration> of_rulers() {
  const std::string each = "number, kind, axis, slice, points_px, and length_mm or angle_degrees.";
  return {
      {.name = "livewire.measure.distance",
       .title = "Measure distance",
       .help = "Measures the distance between two points of the shown slice, in mm.",
       .arguments = {coordinates("X1 Y1 X2 Y2")},
       .result = "The distance: " + each},
      {.name = "livewire.measure.angle",
       .title = "Measure angle",
       .help = "Measures the angle at the second of three points of the shown slice, in degrees.",
       .arguments = {coordinates("X1 Y1 X2 Y2 X3 Y3")},
       .result = "The angle: " + each},
      {.name = "livewire.measure.move",
       .title = "Move point of distance or angle",
       .help = "Moves a point of a distance or an angle.",
       .arguments = {counted("point", "Number of the point."), pixels("x", "Column."), pixels("y", "Row."),
                     counted("number", "Its number; if omitted, the last one.").optional()}},
      {.name = "livewire.measure.delete",
       .title = "Delete distance or angle",
       .help = "Deletes a distance or an angle.",
       .arguments = {counted("number", "Its number; if omitted, the last one.").optional()}},
      {.name = "livewire.measure.cancel",
       .title = "Stop measuring",
       .help = "Drops the distance or angle being measured (Esc in the view).",
       .recorded = false},
      {.name = "livewire.measure.list",
       .title = "List distances and angles",
       .help = "Lists all distances and angles.",
       .recorded = false,
       .result = "All of them; of each " + each},
  };
}

std::vector<Declaration> of_files() {
  return {
      {.name = "livewire.contours.save",
       .title = "Save contours...",
       .help = "Saves all contours with their seeds, to be opened again.",
       .arguments = {asked_path("path", "A .json file.")}},
      {.name = "livewire.contours.open",
       .title = "Open contours...",
       .help = "Opens saved contours in place of the current ones.",
       .arguments = {asked_path("path", "A file of saved contours.")}},
      {.name = "livewire.contours.import",
       .title = "Import contours...",
       .help = "Adds the contours of an RT structure set, a segmentation, a label map or a saved file.",
       .arguments = {asked_path("path", "The file."),
                     choice("nested",
                            "How structure sets treat contours within others of the same region; if omitted, "
                            "as chosen before, or filled.",
                            {"filled", "holes"})
                         .optional()}},
      {.name = "livewire.contours.delete-all",
       .title = "Delete all contours",
       .help = "Deletes every contour that is not locked and discards the unfinished one; labels stay."},
      {.name = "livewire.reference.compare",
       .title = "Compare with reference...",
       .help =
           "Compares the current label with a label of a label map: Dice, Jaccard and Hausdorff distance.",
       .arguments = {asked_path("path", "The label map."),
                     counted("label", "The label's number in the reference.").optional(std::int64_t{1})},
       .result = "dice, jaccard, hausdorff_mm, hausdorff_95_mm, mean_distance_mm."},
      {.name = "livewire.image.anonymise",
       .title = "Write anonymised copy...",
       .help = "Writes the DICOM files without the patient's identity; names burned into the pixels remain.",
       .arguments = {asked_path("folder", "Where the copies go.")}},
      {.name = "livewire.image.open-series",
       .title = "Open series...",
       .help = "Opens one of several series in a folder, by its UID.",
       .arguments =
           {asked_path("folder", "The folder."),
            text("uid", "The UID of the series; if omitted, a dialog lists the series.").optional()}},
  };
}

/// Of the submenu of labels: their regions, the list of labels, and how they are shown.
void divide_menu_of_labels(std::vector<Declaration>& all) {
  static const std::array<std::set<std::string>, 3> sections{{{"paint", "erase", "fill", "threshold"},
                                                              {"add", "select", "rename", "colour", "remove"},
                                                              {"hide", "lock"}}};
  const std::string prefix = "livewire.label.";
  for (Declaration& each : all) {
    if (each.name == "livewire.tool.trace") each.menu = "label/1";
    if (!each.name.starts_with(prefix)) continue;
    const auto section = std::ranges::find_if(
        sections, [&](const auto& names) { return names.contains(each.name.substr(prefix.size())); });
    each.menu = "label/" + std::to_string(section - sections.begin() + 1);
  }
}

std::vector<Declaration> declared_commands() {
  std::vector<Declaration> all = of_slices();
  for (auto more : {of_tracing(), of_contours(), of_labels_and_suggestions(), of_rulers(), of_painting(),
                    of_files(), workbench::playback_declarations("livewire.layer")})
    all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  divide_menu_of_labels(all);
  for (Declaration& each : all) {
    if (each.needs_arguments()) each.title += "...";  // a menu asks for them
  }
  return all;
}

}  // namespace

LabDescription description() {
  return {
      .name = "livewire",
      .title = "Livewire",
      .summary = "Contours traced in medical images: the wire follows the edge under the pointer.",
      .commands = declared_commands(),
      .parameters =
          [] { return parameters::descriptions_of(tool_schema(), isolume::livewire::cost_schema()); },
      .formats = {images::image_formats()},
      .samples = {{"CT abdomen", "Synthetic DICOM series of 16 slices", "samples/livewire/ct-abdomen"},
                  {"Vessels", "Synthetic vessel tree with noise, 8 bits", "samples/livewire/vessels.png"}},
      .opens =
          [](const std::filesystem::path& path) {
            std::error_code failed;  // whether a folder holds images is for a job to find out
            return std::filesystem::is_directory(path, failed) || images::is_image(path);
          }};
}

}  // namespace isolume::labs::livewire
