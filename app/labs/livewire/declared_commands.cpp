#include "app/labs/livewire/declared_commands.h"

#include <iterator>

#include "app/workbench/declared_commands.h"

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

Argument label() {
  return counted("label", "The label's number.");
}

std::vector<Declaration> of_slices() {
  return {
      {.name = "livewire.slice.show",
       .title = "Show slice",
       .help = "Shows a plane in the large view, at the crosshair or at the given slice.",
       .arguments = {choice("plane", "Of the patient.", {"axial", "coronal", "sagittal"}),
                     counted("number", "The slice; without it, the one at the crosshair.").optional()}},
      {.name = "livewire.slice.space",
       .title = "Maximise 3D view",
       .help = "Gives the 3D view all the room, or takes it back."},
      {.name = "livewire.slice.next", .title = "Next slice", .help = "One slice on."},
      {.name = "livewire.slice.previous", .title = "Previous slice", .help = "One slice back."},
      {.name = "livewire.slice.go-to",
       .title = "Go to position",
       .help = "Puts the crosshair at a position of the patient.",
       .arguments = {number("x", "To the patient's left.").unit("mm"),
                     number("y", "To the patient's back.").unit("mm"),
                     number("z", "To the patient's head.").unit("mm")}},
      {.name = "livewire.slice.fit", .title = "Fit slice", .help = "Shows the whole slice."},
      {.name = "livewire.slice.zoom",
       .title = "Zoom",
       .help = "Enlarges the large view by a factor.",
       .arguments = {number("factor", "Above 1 enlarges.").range(1e-6, 1e6)}},
      {.name = "livewire.slice.frame",
       .title = "Set zoom and place",
       .help = "Puts a place of the slice into the middle of the large view, at a scale.",
       .arguments =
           {pixels("x", "Across."), pixels("y", "Down."),
            number("scale", "Pixels of the screen for a millimetre.").unit("px/mm").range(1e-9, 1e9)}},
      {.name = "livewire.window.preset",
       .title = "Window preset",
       .help =
           "Grey levels for lung, bone, brain or soft-tissue, the image's own, full range or auto (1st to "
           "99th percentile).",
       .arguments = {text("name",
                          "lung, bone, brain, soft-tissue, image, full, auto, or a window of the file.")}},
      {.name = "livewire.window.set",
       .title = "Set window",
       .help = "Centre and width of the grey levels, in the image's unit.",
       .arguments = {number("centre", "What is shown as middle grey."),
                     number("width", "From black to white; above 0.")}},
      {.name = "livewire.layer.play",
       .title = "Play the front",
       .help = "Lets the distances from the last seed grow: how the wire is found."},
      {.name = "livewire.layer.stop",
       .title = "Pause the front",
       .help = "The front of the distances stays where it is; Esc does it, too."},
  };
}

/// What they do to a contour is in scripts as livewire.contour.trace.
std::vector<Declaration> of_tracing() {
  std::vector<Declaration> all{
      {.name = "livewire.move",
       .title = "Move the wire",
       .help = "Leads the live wire to a place, as the pointer does.",
       .arguments = {pixels("x", "Across."), pixels("y", "Down.")}},
      {.name = "livewire.press",
       .title = "Place seed",
       .help = "Clicks at a place: the first seed, the next one, or, near the first, closing.",
       .arguments = {pixels("x", "Across."), pixels("y", "Down.")}},
      {.name = "livewire.close",
       .title = "Close contour",
       .help = "Closes the contour being traced (Enter in the view)."},
      {.name = "livewire.finish-open",
       .title = "Finish open contour",
       .help = "Ends the contour being traced without closing it (O in the view)."},
      {.name = "livewire.undo-seed",
       .title = "Remove last seed",
       .help = "Takes back the last seed of the contour being traced (Backspace in the view)."},
      {.name = "livewire.cancel",
       .title = "Discard contour",
       .help = "Drops the contour being traced (Escape in the view); livewire.restore brings it back."},
      {.name = "livewire.restore",
       .title = "Restore discarded contour",
       .help = "Brings back the contour that was dropped last."}};
  for (Declaration& each : all) each.recorded = false;
  all.push_back(
      {.name = "livewire.draft",
       .title = "Begin contour from pieces",
       .help = "Goes on with a contour that was begun and not ended, in the place of the one being traced.",
       .arguments = {choice("axis", "The volume's axis that the slice lies across.", {"0", "1", "2"}),
                     counted("slice", "Its slice along the axis."), pixels("x", "Of the first seed, across."),
                     pixels("y", "Of the first seed, down."),
                     text("piece", "From seed to seed: wire, freehand or straight, and its points in pixels.")
                         .repeatable()
                         .optional()
                         .shown_as("KIND:X,Y;X,Y;...")}});
  all.push_back(
      {.name = "livewire.region",
       .title = "Restrict wire to region",
       .help = "The wire stays among these pixels of the shown slice and of all along its axis.",
       .arguments = {pixels("x", "The left end."), pixels("y", "The upper end."),
                     pixels("width", "At least one pixel."), pixels("height", "At least one pixel.")}});
  all.push_back({.name = "livewire.region-view",
                 .title = "Restrict wire to view",
                 .help = "The wire stays in what the large view shows now."});
  all.push_back({.name = "livewire.region-clear",
                 .title = "Clear wire region",
                 .help = "Takes the region away that the wire kept to."});
  return all;
}

std::vector<Declaration> of_contours() {
  const std::string each = "number, name, axis, slice, label, closed, length_mm, area_mm2.";
  return {
      {.name = "livewire.contour.trace",
       .title = "Add contour from pieces",
       .help = "Adds a contour as it was traced, with all its points.",
       .arguments = {choice("axis", "The volume's axis that the slice lies across.", {"0", "1", "2"}),
                     counted("slice", "Its slice along the axis."), label(),
                     choice("end", "Whether it leads back to its first seed.", {"closed", "open"}),
                     text("piece", "From seed to seed: wire, freehand or straight, and its points in pixels.")
                         .repeatable()
                         .shown_as("KIND:X,Y;X,Y;...")},
       .result = "The contour: " + each},
      {.name = "livewire.contour.list",
       .title = "List contours",
       .help = "Tells all contours with their measures.",
       .recorded = false,
       .result = "All contours; of each " + each},
      {.name = "livewire.contour.select",
       .title = "Select contour",
       .help = "Selects a contour by its number and goes to its slice.",
       .arguments = {counted("number", "The contour's number.")},
       .result = "The contour: " + each},
      {.name = "livewire.contour.deselect", .title = "Deselect contour", .help = "Ends the selection."},
      {.name = "livewire.contour.delete", .title = "Delete contour", .help = "Deletes the selected contour."},
      {.name = "livewire.contour.move-seed",
       .title = "Move seed",
       .help = "Moves a seed of the selected contour; the wires beside it follow.",
       .arguments = {counted("seed", "Its number along the contour."), pixels("x", "Across."),
                     pixels("y", "Down.")}},
      {.name = "livewire.contour.insert-seed",
       .title = "Insert seed",
       .help = "Puts a seed on the selected contour, where it comes nearest, and may move it on.",
       .arguments = {pixels("x", "Across."), pixels("y", "Down."),
                     pixels("to-x", "Where the new seed is moved to.").optional(),
                     pixels("to-y", "Where the new seed is moved to.").optional()}},
      {.name = "livewire.contour.delete-seed",
       .title = "Delete seed",
       .help = "Takes a seed out of the selected contour.",
       .arguments = {counted("seed", "Its number along the contour.")}},
      {.name = "livewire.contour.copy-to-next",
       .title = "Copy to next slice",
       .help = "Copies the selected contour to the next slice and snaps it to the edges there."},
      {.name = "livewire.contour.copy-to-previous",
       .title = "Copy to previous slice",
       .help = "Copies the selected contour to the slice before and snaps it to the edges there."},
      {.name = "livewire.contour.resnap",
       .title = "Snap to edges",
       .help = "Moves the selected contour's seeds to the strongest edges nearby and finds its wires anew."},
      {.name = "livewire.contour.move",
       .title = "Move contour",
       .help = "Moves the selected contour as a whole.",
       .arguments = {pixels("dx", "Across."), pixels("dy", "Down.")}},
      {.name = "livewire.contour.lock",
       .title = "Lock contour",
       .help = "Keeps the selected contour from being changed, or ends that."},
      {.name = "livewire.contour.hide",
       .title = "Hide contour",
       .help = "Hides the selected contour, or shows it."},
      {.name = "livewire.contour.rename",
       .title = "Rename contour",
       .help = "Gives the selected contour a name.",
       .arguments = {text("name", "Its new name.").repeatable()}},
      {.name = "livewire.contour.colour",
       .title = "Contour colour",
       .help = "Gives the selected contour a colour of its own, or its label's again.",
       .arguments = {colour("colour", "A colour, or label for the label's.", "label")}},
      {.name = "livewire.contour.label",
       .title = "Assign label",
       .help = "Gives the selected contour to a label.",
       .arguments = {label()}},
      {.name = "livewire.contour.combination",
       .title = "Combine contour",
       .help = "Whether the selected contour adds to its label or cuts out of it.",
       .arguments = {choice("how", "Which of both.", {"add", "subtract"})}},
      {.name = "livewire.contour.interpolate",
       .title = "Interpolate between slices",
       .help =
           "Suggests contours of the current label for the slices between contoured ones, snapped to their "
           "edges."},
  };
}

std::vector<Declaration> of_labels_and_suggestions() {
  return {
      {.name = "livewire.label.add",
       .title = "Add label",
       .help = "Makes a label, e.g. an organ; new contours get it.",
       .arguments = {text("name", "Its name.").repeatable()}},
      {.name = "livewire.label.rename",
       .title = "Rename label",
       .help = "Gives the current label a name; contours that are named after it follow.",
       .arguments = {text("name", "Its new name.").repeatable()}},
      {.name = "livewire.label.colour",
       .title = "Label colour",
       .help = "Gives the current label a colour.",
       .arguments = {colour("colour", "Its new colour.")}},
      {.name = "livewire.label.select",
       .title = "Choose label",
       .help = "New contours get this label.",
       .arguments = {label()}},
      {.name = "livewire.label.lock",
       .title = "Lock label",
       .help = "Keeps the current label's contours from being changed, or ends that."},
      {.name = "livewire.label.hide",
       .title = "Hide label",
       .help = "Hides the current label's contours, or shows them."},
      {.name = "livewire.label.remove",
       .title = "Remove label",
       .help = "Removes a label with all its contours.",
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

std::vector<Declaration> of_files() {
  return {
      {.name = "livewire.contours.save",
       .title = "Save contours",
       .help = "Writes all contours with their seeds, to be opened again.",
       .arguments = {path("path", "A .json file.")}},
      {.name = "livewire.contours.open",
       .title = "Open contours",
       .help = "Opens contours that were saved, in the place of the present ones.",
       .arguments = {path("path", "A file that was saved.")}},
      {.name = "livewire.contours.import",
       .title = "Import contours",
       .help = "Adds the contours of an RT structure set, a segmentation, a label map or a saved file.",
       .arguments = {path("path", "The file.")}},
      {.name = "livewire.contours.delete-all",
       .title = "Delete all contours",
       .help = "Deletes every contour that is not locked; labels stay."},
      {.name = "livewire.reference.compare",
       .title = "Compare with reference",
       .help = "Dice, Jaccard and Hausdorff distances of the current label to a label of a label map.",
       .arguments = {path("path", "The label map."),
                     counted("label", "A label of the reference.").optional(std::int64_t{1})},
       .result = "dice, jaccard, hausdorff_mm, hausdorff_95_mm, mean_distance_mm."},
      {.name = "livewire.image.anonymise",
       .title = "Write anonymised copy",
       .help = "Writes the DICOM files without the patient's identity; names burnt into the pixels stay.",
       .arguments = {path("folder", "Where the copies go.")}},
      {.name = "livewire.image.open-series",
       .title = "Open series",
       .help = "Opens one of several series of a folder, by its UID.",
       .arguments = {path("folder", "The folder."), text("uid", "The UID of the series.")}},
  };
}

}  // namespace

std::vector<Declaration> declared_commands() {
  std::vector<Declaration> all = of_slices();
  for (auto more : {of_tracing(), of_contours(), of_labels_and_suggestions(), of_files(),
                    workbench::playback_declarations("livewire.layer")})
    all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  return all;
}

}  // namespace isolume::labs::livewire
