// livewire.label.paint, .erase, .threshold and .fill.
#include <algorithm>
#include <cmath>

#include "app/labs/livewire/commands.h"
#include "app/labs/livewire/threshold_dialog.h"
#include "app/labs/livewire/views.h"
#include "app/labs/livewire/workspace.h"
#include "app/workbench/command_registry.h"
#include "app/workbench/translated.h"
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

/// One contour for each region of pixels, holes cut out.
void add_regions(contours::ContourSet& set, const contours::SliceLabels& pixels, images::SliceId slice,
                 int label, const jobs::Progress& progress) {
  for (auto& outline : contours::outlines_of(pixels, progress)) {
    outline.label = label;
    set.add(contours::contour_of(std::move(outline), slice));
  }
}

int unlocked_label(const Workspace& workspace) {
  const int value = workspace.model().current_label();
  const auto* label = workspace.model().contours().label(value);
  if (label != nullptr && label->locked)
    throw Error(
        workbench::said(QObject::tr("%1 is locked. Unlock it with livewire.label.lock first."), label->name));
  return value;
}

/// Adds what `pixels_of` finds on each slice to the current label, by a job.
void add_found(Workspace& workspace, const QString& text, std::vector<images::SliceId> slices,
               std::function<contours::SliceLabels(const images::SliceImage&)> pixels_of) {
  const int label = unlocked_label(workspace);
  workspace.context().jobs.submit(
      text.toStdString(), "livewire.regions",
      [&workspace, text, label, slices = std::move(slices), pixels_of = std::move(pixels_of),
       image = workspace.model().image()](const jobs::Progress& progress) {
        contours::ContourSet found;
        for (std::size_t i = 0; i < slices.size(); ++i) {
          progress.report(static_cast<double>(i) / static_cast<double>(slices.size()), "outlines");
          add_regions(found, pixels_of(images::extract_slice(image->volume, slices[i])), slices[i], label,
                      progress);
        }
        progress.check();
        if (found.contours().empty())
          throw Error(
              workbench::said(QObject::tr("No pixel has a value in this range. Choose another range.")));
        workspace.later([&workspace, text, found, image] {
          if (image != workspace.model().image()) return;
          contours::ContourSet next = workspace.model().contours();
          for (const auto& each : found.contours()) {
            contours::Contour contour = *each;
            contour.name.clear();
            next.add(std::move(contour));
          }
          workspace.model().change(text, std::move(next));
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
    const int count = workspace.image().volume.geometry.size[static_cast<std::size_t>(shown.axis)];
    for (int index = 0; index < count; ++index) slices.push_back({shown.axis, index});
  }
  add_found(
      workspace, QObject::tr("Threshold"), std::move(slices),
      [low, high](const images::SliceImage& slice) { return contours::pixels_within(slice, low, high); });
}

void fill(Workspace& workspace, const Arguments& arguments) {
  const int x = static_cast<int>(std::lround(std::clamp(arguments.number("x"), -1e6, 1e6))),
            y = static_cast<int>(std::lround(std::clamp(arguments.number("y"), -1e6, 1e6)));
  const double tolerance = arguments.number("tolerance");
  const auto plane = images::slice_plane(workspace.image().volume.geometry, workspace.model().slice());
  if (x < 0 || y < 0 || x >= plane.width || y >= plane.height)
    throw Error(workbench::said(QObject::tr("The point lies outside the slice of %1 × %2 pixels."),
                                plane.width, plane.height));
  add_found(workspace, QObject::tr("Fill"), {workspace.model().slice()},
            [x, y, tolerance](const images::SliceImage& slice) {
              const double value = slice.at(x, y);
              return contours::connected_to(
                  contours::pixels_within(slice, value - tolerance, value + tolerance), x, y);
            });
}

}  // namespace

void add_painting_commands(Workspace& workspace) {
  auto& commands = workspace.context().commands;
  const auto add = [&](const char* name, commands::Action run, workbench::WindowPart part = {}) {
    commands.bind(
        name, std::move(run), [&workspace] { return workspace.without_image(); }, std::move(part));
  };
  const auto add_brush = [&](const char* name, Combination combination, const char* key) {
    add(name,
        [&workspace, combination](const Arguments& arguments) {
          if (!arguments.has("radius")) return workspace.choose_brush(combination);
          workspace.brush().paint(stroke_of(arguments), arguments.number("radius"), combination);
        },
        {.key_in_view = key,
         .checked = [&workspace, combination] { return workspace.brush().active() == combination; },
         .unticked_by = "livewire.tool.trace"});
  };
  add_brush("livewire.label.paint", Combination::add, "B");
  add_brush("livewire.label.erase", Combination::subtract, "E");
  add("livewire.label.threshold", [&](const Arguments& arguments) { threshold(workspace, arguments); });
  add("livewire.label.fill", [&](const Arguments& arguments) { fill(workspace, arguments); });
}

}  // namespace isolume::labs::livewire
