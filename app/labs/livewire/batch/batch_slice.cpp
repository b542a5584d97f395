#include "app/labs/livewire/batch/batch_slice.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "app/batch/context.h"
#include "core/base/error.h"
#include "core/image_files/read_image.h"
#include "core/images/slice_orientation.h"

namespace isolume::batch {
namespace {

constexpr std::array<std::string_view, 3> of_volume{"0", "1", "2"},
    of_patient{"sagittal", "coronal", "axial"};

/// In the order of images::ValueScale.
constexpr std::array value_scales{"stored", "suv-bw", "suv-lbm", "suv-bsa"};

int axis_of(const std::string& text, const images::Geometry& geometry) {
  if (const auto at = std::ranges::find(of_volume, text); at != of_volume.end())
    return static_cast<int>(at - of_volume.begin());
  const auto at = std::ranges::find(of_patient, text);  // checked on the command line
  return images::axes_nearest_to_patient(geometry)[static_cast<std::size_t>(at - of_patient.begin())];
}

}  // namespace

std::shared_ptr<const images::Document> open_image(Context& context, const std::string& file,
                                                   const VolumeOptions& options,
                                                   const jobs::Progress& progress) {
  auto image = std::make_shared<const images::Document>(images::read_image(file, options.read(), progress));
  report(context, file, image->remarks);
  add_inputs(context, images::files_of(*image));
  return image;
}

images::SliceId slice_of(const SliceOptions& options, const std::string& file,
                         const images::Geometry& geometry) {
  // A single slice is the only one, however it lies.
  const bool is_picture =
      geometry.dimensions[2] == 1 && std::ranges::find(of_volume, options.axis) == of_volume.end();
  const int axis = is_picture ? 2 : axis_of(options.axis, geometry);
  const int count = geometry.dimensions[static_cast<std::size_t>(axis)];
  const int index = options.slice.value_or(count / 2);
  if (index < 0 || index >= count) {
    throw Error(
        fmt::format("--slice {}: {} has the slices 0 to {} in this direction.", index, file, count - 1));
  }
  return {axis, index};
}

void add_slice_options(CLI::App& command, SliceOptions& options, Context& context) {
  add_option(command, context, &options.slice,
             commands::integer("slice", "Number of the slice, from 0; by default the middle one")
                 .at_least(0)
                 .optional());
  add_option(
      command, context, &options.axis,
      commands::choice(
          "axis", "Orientation of the slice: an anatomical plane, or across axis 0, 1 or 2 of the volume",
          {"axial", "coronal", "sagittal", "0", "1", "2"}));
}

void add_volume_options(CLI::App& command, VolumeOptions& options, Context& context) {
  add_option(command, context, &options.series,
             commands::text("series", "Which series of a DICOM folder").shown_as("UID").optional());
  add_option(
      command, context, &options.time_point,
      commands::integer("time-point",
                        "Volume of an image with several at the same position (phases, echoes, ...), from 1")
          .at_least(1));
  add_option(
      command, context,
      [&options](const std::string& text) {
        const auto at = std::ranges::find(value_scales, text);  // checked on the command line
        options.values = static_cast<images::ValueScale>(at - value_scales.begin());
      },
      commands::choice(
          "values",
          "Values of PET images: as stored, or as standardised uptake values by body weight, lean "
          "body mass or body surface area; by default as stored",
          {value_scales.begin(), value_scales.end()})
          .optional());
}

}  // namespace isolume::batch
