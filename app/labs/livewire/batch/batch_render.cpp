#include <QApplication>
#include <algorithm>
#include <array>
#include <memory>
#include <ostream>

#include <fmt/format.h>

#include "app/batch/context.h"
#include "app/batch/parameter_flags.h"
#include "app/batch/picture_options.h"
#include "app/batch/session_document.h"
#include "app/labs/livewire/batch/batch_slice.h"
#include "app/labs/livewire/batch/batch_verbs.h"
#include "app/labs/livewire/views/draw_over_slice.h"
#include "app/labs/livewire/views/layers.h"
#include "app/labs/livewire/views/session_view.h"
#include "app/pictures/qt_picture.h"
#include "app/slices/slice_picture.h"
#include "core/base/error_text.h"
#include "core/base/remarks.h"
#include "core/contours/files.h"
#include "core/images/document.h"
#include "core/images/window.h"
#include "core/livewire/costs.h"

namespace isolume::batch {
namespace {

using namespace labs::livewire;

struct Options {
  std::string file, output;
  VolumeOptions volume;
  SliceOptions where;
  int width = 1280, height = 960, dpi = 96;
  bool json = false;
};

/// What is drawn, from an image or a session.
struct Drawn {
  std::shared_ptr<const images::Document> image;
  images::SliceId slice;
  images::Window window;
  contours::ContourSet contours;
  std::optional<std::uint64_t> selected;
  ToolParameters look;
  livewire::CostParameters costs;
};

Drawn of_image(Context& context, const Options& options) {
  Drawn drawn;
  drawn.image = open_image(context, options.file, options.volume, context.progress.part(0, 0.6));
  drawn.slice = slice_of(options.where, options.file, drawn.image->volume.geometry);
  drawn.window = images::first_window(*drawn.image);
  return drawn;
}

/// The large view as it was left.
Drawn of_session(Context& context, const CLI::App& command, const Options& options) {
  const auto session = read_session_document(context, options.file, "livewire");
  const auto& [lab, data, place] = session;
  Drawn drawn;
  parameters::StructParameters look(tool_schema(), drawn.look);
  parameters::StructParameters costs(livewire::cost_schema(), drawn.costs);
  parameters::CombinedParameters both({&look, &costs});
  take_parameters(context, command, options.file, session, both);
  drawn.window = {drawn.look.window_centre, drawn.look.window_width, {}, drawn.look.invert};
  try {
    drawn.image = open_image(context, data.string(),
                             {.series = lab.state.value("series_uid", std::string()),
                              .time_point = drawn.look.time_point,
                              .values = drawn.look.values},
                             context.progress.part(0, 0.6));
    const auto& geometry = drawn.image->volume.geometry;
    if (const auto contours = lab.state.find("contours"); contours != lab.state.end()) {
      auto held = contours::contours_of_text(contours->dump(), options.file);
      report(context, options.file, held.remarks);
      if (held.image.geometry.dimensions == geometry.dimensions) {
        drawn.contours = std::move(held.set);
      } else {
        Remarks remarks;
        remarks.dropped("The session's contours belong to an image of another size. They are left out.");
        report(context, options.file, remarks);
      }
    }
    const auto shown = session_view(lab.state, geometry, drawn.contours);
    const bool another = given(command, "slice") || given(command, "axis");
    drawn.slice = another ? slice_of(options.where, data.string(), geometry) : shown.slice;
    drawn.selected = shown.selected;
  } catch (const nlohmann::json::exception& error) {
    throw InputError(options.file, 0, fmt::format("the lab's state cannot be read: {}", error_text(error)));
  }
  return drawn;
}

/// Nothing where no layer is shown; distances grow from the seed of an unfinished contour, which no session holds.
void show_layer(Context& context, const Drawn& drawn, slices::HeatLayer& layer) {
  layer.set_opacity(drawn.look.layer_opacity);
  layer.set_levels_shown(false);
  if (drawn.look.layer == LayerKind::distance) {
    Remarks remarks;
    remarks.dropped("The distances from the last seed are drawn only in the window.");
    report(context, remarks);
  }
  if (drawn.look.layer != LayerKind::gradient && drawn.look.layer != LayerKind::cost) return;
  const auto progress = context.progress.part(0.6, 0.8);
  const auto slice = images::extract_slice(drawn.image->volume, drawn.slice);
  const auto features = livewire::compute_features(slice, drawn.costs, progress);
  layer.set_map(
      drawn.look.layer == LayerKind::gradient
          ? gradient_map(drawn.slice, features, drawn.image->volume.unit)
          : cost_map(drawn.slice, livewire::make_costs(slice, features, drawn.costs, nullptr, progress)));
}

/// Fonts without a window: of the "offscreen" platform.
std::unique_ptr<QApplication> application_for_fonts() {
  static std::array<char, 15> program{"isolume-batch"};
  static std::array<char, 10> platform{"-platform"};
  static std::array<char, 10> offscreen{"offscreen"};
  static std::array<char*, 4> words{program.data(), platform.data(), offscreen.data(), nullptr};
  static int count = 3;
  return std::make_unique<QApplication>(count, words.data());
}

void render(Context& context, const CLI::App& command, const Options& options) {
  check_outputs(context, std::array{options.output}, std::array{options.file});
  const Drawn drawn =
      is_session(options.file) ? of_session(context, command, options) : of_image(context, options);
  const auto application = application_for_fonts();
  slices::HeatLayer layer;
  show_layer(context, drawn, layer);
  context.progress.check();
  context.progress.report(0.8, "drawing");
  slices::SlicePicture wanted{.image = drawn.image,
                              .slice = drawn.slice,
                              .window = drawn.window,
                              .interpolation = drawn.look.interpolation,
                              .kept = [&](QPainter& painter, const slices::SliceView& view) {
                                draw_over_slice(painter, view, &layer, drawn.contours, drawn.selected,
                                                drawn.look);
                              }};
  if (drawn.image->volume.file != nullptr) wanted.copy = images::copy_slice(drawn.image->volume, drawn.slice);
  const QImage picture = slices::draw_slice_picture(wanted, options.width, options.height);
  context.progress.check();
  pictures::write_png(picture, options.output, options.dpi);
  const auto count = drawn.contours.on_slice(drawn.slice).size();
  if (options.json) {
    return print(context.out, {{"file", options.file},
                               {"output", options.output},
                               {"axis", drawn.slice.axis},
                               {"slice", drawn.slice.index},
                               {"contours", count},
                               {"width", options.width},
                               {"height", options.height},
                               {"remarks", json_of(context.remarks)}});
  }
  context.out << fmt::format("{}: slice {} with {} contour{}\n", options.output, drawn.slice.index, count,
                             count == 1 ? "" : "s");
}

}  // namespace

void add_livewire_render(CLI::App& program, Context& context) {
  auto options = std::make_shared<Options>();
  auto& command =
      add_verb(program, "render", "Draw a slice of an image as a PNG, with the contours of a session.");
  add_option(command, context, &options->file,
             commands::path(
                 "FILE",
                 "Session (.isolume), or a DICOM folder or file, NIfTI, NRRD, MetaImage, PNG, TIFF or JPEG"));
  add_option(command, context, &options->output, commands::path("output", "The PNG file to write"));
  add_slice_options(command, options->where, context);
  add_volume_options(command, options->volume, context);
  add_picture_options(command, options->width, options->height, options->dpi, context);
  add_flag(command, "json", options->json, "Print what was drawn as JSON");
  on_call(command, context, [options, &command, &context] { render(context, command, *options); });
}

}  // namespace isolume::batch
