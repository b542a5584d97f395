#pragma once

namespace CLI {
class App;
}

namespace isolume::batch {

struct Context;

// Below `isolume-batch orbitals`:
void add_orbitals_compute(CLI::App& lab, Context& context);
void add_orbitals_convert(CLI::App& lab, Context& context);
void add_orbitals_describe(CLI::App& lab, Context& context);
void add_orbitals_precompile(CLI::App& lab, Context& context);
void add_orbitals_render(CLI::App& lab, Context& context);
/// `bench orbitals`, below `bench`.
void add_orbitals_bench(CLI::App& bench, Context& context);

}  // namespace isolume::batch
