#pragma once

#include <optional>
#include <string>

#include "core/images/volume.h"

namespace CLI {
class App;
}

namespace isolume::batch {

struct Context;

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
