#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/labs/livewire/files/contour_formats.h"

namespace CLI {
class App;
}

namespace isolume::batch {

struct Context;

/// --output, which may be repeated.
void add_outputs(CLI::App& command, Context& context, std::vector<std::string>& outputs);

/// contour_format_of(path). Surfaces are written by VTK: a lean program leaves formats that it does not know to
/// isolume-batch-full.
const labs::livewire::ContourFormat& format_of(Context& context, const std::string& path);

/// What of the outputs can be known only from the image; before anything is traced or read, so that nothing is
/// written where one of them cannot be. Throws Error.
void check_outputs_against(const images::Document& image, const std::string& file,
                           std::span<const std::string> outputs);

/// Writes them all; what a format leaves out is reported.
void write_outputs(Context& context, const labs::livewire::Drawing& drawing,
                   std::span<const std::string> outputs, const jobs::Progress& progress);

}  // namespace isolume::batch
