#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/images/document.h"
#include "core/jobs/progress.h"

namespace CLI {
class App;
}

namespace isolume::batch {

struct Context;

/// Which volume of a file or folder the command line names, and in which values.
struct VolumeOptions {
  std::string series;
  int time_point = 1;
  images::ValueScale values = images::ValueScale::stored;

  images::ReadOptions read() const {
    return {.series_uid = series, .time_point = time_point - 1, .values = values};
  }
};
/// --series, --time-point and --values.
void add_volume_options(CLI::App& command, VolumeOptions& options, Context& context);

/// The image that the command line names. Reports its remarks, and guards its files against outputs.
std::shared_ptr<const images::Document> open_image(Context& context, const std::string& file,
                                                   const VolumeOptions& options,
                                                   const jobs::Progress& progress);

/// Which slice of an image the command line names.
struct SliceOptions {
  std::string axis = "axial";
  std::optional<int> slice;
};
/// --slice and --axis.
void add_slice_options(CLI::App& command, SliceOptions& options, Context& context);
/// Throws Error, naming the file, where there is no such slice.
images::SliceId slice_of(const SliceOptions& options, const std::string& file,
                         const images::Geometry& geometry);

}  // namespace isolume::batch
