#pragma once

namespace CLI {
class App;
}

namespace isolume::batch {

struct Context;

/// Below `isolume-batch nbody`.
void add_nbody_forces(CLI::App& lab, Context& context);
void add_nbody_run(CLI::App& lab, Context& context);
void add_nbody_render(CLI::App& lab, Context& context);
void add_nbody_convert(CLI::App& lab, Context& context);
/// `bench nbody`.
void add_nbody_bench(CLI::App& bench_command, Context& context);

}  // namespace isolume::batch
