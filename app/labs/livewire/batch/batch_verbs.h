#pragma once

namespace CLI {
class App;
}

namespace isolume::batch {

struct Context;

/// Below `isolume-batch livewire`.
void add_livewire_import(CLI::App& lab, Context& context);
void add_livewire_render(CLI::App& lab, Context& context);
void add_livewire_trace(CLI::App& lab, Context& context);
/// `bench livewire`, below `bench`.
void add_livewire_bench(CLI::App& bench, Context& context);

}  // namespace isolume::batch
