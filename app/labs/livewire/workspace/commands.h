#pragma once

#include <string>
#include <vector>

#include "app/workbench/contract/command_registry.h"
#include "core/contours/contour.h"
#include "core/livewire/tracer.h"

namespace isolume::labs::livewire {

class Workspace;

using commands::Arguments;

// What the declared commands do.
void add_slice_commands(Workspace& workspace);
void add_trace_commands(Workspace& workspace);
void add_contour_commands(Workspace& workspace);
void add_label_commands(Workspace& workspace);
void add_suggestion_commands(Workspace& workspace);
void add_file_commands(Workspace& workspace);
void add_ruler_commands(Workspace& workspace);
void add_painting_commands(Workspace& workspace);

/// The name of a window as livewire.window.preset takes it.
std::string preset_key(std::string name);

/// The arguments of `livewire.contour.trace` that make this contour again.
std::vector<std::string> trace_arguments(const contours::Contour& contour);

/// The arguments of `livewire.draft` that go on with this draft, which has a seed.
std::vector<std::string> draft_arguments(const isolume::livewire::Tracer::Draft& draft);

/// The argument "label" as the number of a label that there is. Throws Error.
int existing_label(const Workspace& workspace, const Arguments& arguments);

}  // namespace isolume::labs::livewire
