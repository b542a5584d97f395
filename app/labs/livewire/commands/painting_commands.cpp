// livewire.label.paint, .erase, .threshold and .fill.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "app/labs/livewire/panels/threshold_dialog.h"
#include "app/labs/livewire/workspace/commands.h"
#include "app/labs/livewire/workspace/workspace.h"
#include "app/slices/linked_slices.h"
#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/translated.h"
#include "core/base/error.h"
#include "core/base/number.h"
#include "core/contours/painting.h"

namespace isolume::labs::livewire {
namespace {

using contours::Combination;

contours::Polyline stroke_of(const Arguments& arguments) {
  contours::Polyline stroke;
  std::vector<double> numbers;
  for (const auto& word : arguments.texts("coordinate")) numbers.push_back(parse_finite(word).value_or(NAN));
  const bool are_pairs = !numbers.empty() && numbers.size() % 2 == 0 &&
                         std::ranges::all_of(numbers, [](double each) { return std::isfinite(each); });
  if (!are_pairs)
    throw Error(workbench::said(QObject::tr("Give x and y of each point of the stroke, in pixels.")));
  for (std::size_t i = 0; i < numbers.size(); i += 2) stroke.emplace_back(numbers[i], numbers[i + 1]);
  return stroke;
}

int unlocked_label(const Workspace& workspace) {
  const int value = workspace.model().current_label();
  const auto* label = workspace.model().contours().label(value);
  if (label != nullptr && label->locked)
    throw Error(
        workbench::said(QObject::tr("%1 is locked. Unlock it with livewire.label.lock first."), label->name));
  return value;
}

/// Regions to be added to a label.
struct RegionSearch {
  int label = 0;
  QString text;         ///< of the undo entry
  std::string channel;  ///< of the job; empty: it is not superseded
  std::vector<images::SliceId> slices;
  std::function<contours::SliceLabels(const images::SliceImage&)> pixels_of;
  bool tells_edge = false;     ///< whether the status line says that a region may have leaked
  bool closes_dialog = false;  ///< whether added pixels close the threshold's dialog
};

struct FoundRegions {
  std::vector<contours::Contour> contours;
  std::int64_t pixels = 0, new_pixels = 0;  ///< the new ones did not belong to the label
  bool at_edge = false;
};

void count(FoundRegions& found, const contours::SliceLabels& pixels, const contours::SliceMask& before) {
  for (int y = 0; y < pixels.height; ++y) {
    const auto* row = pixels.values.data() + static_cast<std::ptrdiff_t>(y) * pixels.width;
    const bool has_before = y >= before.top && y < before.top + before.height;
    for (int x = 0; x < pixels.width; ++x) {
      if (row[x] == 0) continue;
      ++found.pixels;
      const bool belonged = has_before && x >= before.left && x < before.left + before.width &&
                            before.row(y)[x - before.left] != 0;
      if (!belonged) ++found.new_pixels;
      found.at_edge |= x == 0 || y == 0 || x == pixels.width - 1 || y == pixels.height - 1;
    }
  }
}

/// `before`: the contours that the regions come to.
FoundRegions find(const RegionSearch& search, const images::Volume& volume,
                  const contours::ContourSet& before, const jobs::Progress& progress) {
  FoundRegions found;
  for (std::size_t i = 0; i < search.slices.size(); ++i) {
    progress.report(static_cast<double>(i) / static_cast<double>(search.slices.size()), "outlines");
    const images::SliceId slice = search.slices[i];
    auto pixels = search.pixels_of(images::extract_slice(volume, slice));
    const auto belonging = contours::mask_of_label(before, search.label, slice, pixels.width, pixels.height);
    count(found, pixels, belonging);
    for (auto& outline :
         contours::outlines_of(contours::with_islands(std::move(pixels), belonging), progress)) {
      outline.label = search.label;
      found.contours.push_back(contours::contour_of(std::move(outline), slice));
    }
  }
  progress.check();
  if (found.pixels == 0)
    throw Error(workbench::said(QObject::tr("No pixel has a value in this range. Choose another range.")));
  return found;
}

void put(Workspace& workspace, const RegionSearch& search, FoundRegions found) {
  const auto tell = [&](const QString& text) {
    workspace.context().show_status(QString("%1: %2").arg(search.text, text));
  };
  const auto pixels = static_cast<int>(std::min<std::int64_t>(found.pixels, std::numeric_limits<int>::max()));
  contours::ContourSet next = workspace.model().contours();
  const auto name = [&] { return QString::fromStdString(next.label(search.label)->name); };
  if (found.new_pixels == 0)
    return tell(
        QObject::tr("%n pixel(s), which already belong to %1. Nothing was added.", "", pixels).arg(name()));
  if (auto* dialog = workspace.views().findChild<ThresholdDialog*>(); dialog && search.closes_dialog)
    dialog->accept();
  for (auto& contour : found.contours) next.add(std::move(contour));
  const QString added = QObject::tr("%n pixel(s) added to %1.", "", pixels).arg(name());
  workspace.model().change(search.text, std::move(next));
  tell(search.tells_edge && found.at_edge
           ? added + ' ' +
                 QObject::tr("The region reaches the image's edge; lower Fill tolerance if it leaked.")
           : added);
}

/// By a job.
void add_found(Workspace& workspace, const RegionSearch& search) {
  workspace.context().jobs.submit(
      search.text.toStdString(), search.channel,
      [&workspace, search, before = workspace.model().contours(),
       image = workspace.model().image()](const jobs::Progress& progress) {
        auto found = find(search, image->volume, before, progress);
        workspace.later([&workspace, search, image, found = std::move(found), was = before.contours()] {
          if (image != workspace.model().image()) return;
          // Its holes would cut out what has come since.
          if (workspace.model().contours().contours() != was) return add_found(workspace, search);
          put(workspace, search, found);
        });
      });
}

void ask_for_threshold(Workspace& workspace) {
  auto* dialog = workspace.views().findChild<ThresholdDialog*>();
  if (dialog == nullptr) dialog = new ThresholdDialog(workspace);
  dialog->show();
  dialog->raise();
  dialog->activateWindow();
}

void threshold(Workspace& workspace, const Arguments& arguments) {
  if (!arguments.has("low")) return ask_for_threshold(workspace);
  if (!arguments.has("high"))
    throw Error(workbench::said(QObject::tr("Give the lowest and the highest value of the range.")));
  const double low = arguments.number("low"), high = arguments.number("high");
  if (!(low <= high))
    throw Error(workbench::said(QObject::tr("The lower value is above the upper one. Swap them.")));
  const images::SliceId shown = workspace.model().slice();
  std::vector<images::SliceId> slices{shown};
  if (arguments.has("slices") && arguments.text("slices") == "all") {
    slices.clear();
    const int count = workspace.image().volume.geometry.dimensions[static_cast<std::size_t>(shown.axis)];
    for (int index = 0; index < count; ++index) slices.push_back({shown.axis, index});
  }
  add_found(
      workspace,
      {.label = unlocked_label(workspace),
       .text = QObject::tr("Threshold"),
       .channel = "livewire.regions",
       .slices = std::move(slices),
       .pixels_of = [low, high](const auto& slice) { return contours::pixels_within(slice, low, high); },
       .closes_dialog = true});
}

void fill(Workspace& workspace, const Arguments& arguments) {
  if (!arguments.has("x")) return workspace.choose_tool(PaintingTool::fill);
  if (!arguments.has("y")) throw Error(workbench::said(QObject::tr("Give x and y of the point, in pixels.")));
  const int x = static_cast<int>(std::lround(std::clamp(arguments.number("x"), -1e6, 1e6))),
            y = static_cast<int>(std::lround(std::clamp(arguments.number("y"), -1e6, 1e6)));
  const double tolerance =
      arguments.has("tolerance") ? arguments.number("tolerance") : workspace.tool_parameters().fill_tolerance;
  const auto plane = images::slice_plane(workspace.image().volume.geometry, workspace.model().slice());
  if (x < 0 || y < 0 || x >= plane.columns || y >= plane.rows)
    throw Error(workbench::said(QObject::tr("The point lies outside the slice of %1 × %2 pixels."),
                                plane.columns, plane.rows));
  const auto [axis, index] = workspace.model().slice();
  const std::array<std::array<int, 3>, 3> by_axis{{{index, x, y}, {x, index, y}, {x, y, index}}};
  const auto& [i, j, k] = by_axis[static_cast<std::size_t>(axis)];
  if (std::isnan(workspace.image().volume.value(i, j, k)))
    throw Error(
        workbench::said(QObject::tr("The value at this point is not a number. Choose another point.")));
  add_found(workspace, {.label = unlocked_label(workspace),
                        .text = QObject::tr("Fill"),
                        .channel = {},
                        .slices = {workspace.model().slice()},
                        .pixels_of =
                            [x, y, tolerance](const auto& slice) {
                              const double value = slice.at(x, y);  // rounded as the others are
                              return contours::connected_to(
                                  contours::pixels_within(slice, value - tolerance, value + tolerance), x, y);
                            },
                        .tells_edge = true});
}

}  // namespace

void add_painting_commands(Workspace& workspace) {
  auto& commands = workspace.context().commands;
  const auto add = [&](const char* name, commands::Action run, workbench::WindowPart part = {}) {
    commands.bind(
        name, std::move(run), [&workspace] { return workspace.without_image(); }, std::move(part));
  };
  const auto add_tool = [&](const char* name, PaintingTool tool, const char* key, commands::Action run) {
    add(name, std::move(run),
        {.key_in_view = key,
         .checked = [&workspace, tool] { return workspace.brush().active() == tool; },
         .unticked_by = "livewire.tool.trace"});
  };
  const auto add_brush = [&](const char* name, PaintingTool tool, const char* key, Combination combination) {
    add_tool(name, tool, key, [&workspace, tool, combination](const Arguments& arguments) {
      if (!arguments.has("radius")) return workspace.choose_tool(tool);
      workspace.brush().paint(stroke_of(arguments), arguments.number("radius"), combination);
    });
  };
  add_brush("livewire.label.paint", PaintingTool::paint, "B", Combination::add);
  add_brush("livewire.label.erase", PaintingTool::erase, "E", Combination::subtract);
  add_tool("livewire.label.fill", PaintingTool::fill, "G",
           [&](const Arguments& arguments) { fill(workspace, arguments); });
  add("livewire.label.threshold", [&](const Arguments& arguments) { threshold(workspace, arguments); });
}

}  // namespace isolume::labs::livewire
