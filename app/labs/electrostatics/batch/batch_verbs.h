#pragma once

namespace CLI {
class App;
}

namespace isolume::batch {

struct Context;

/// Below `isolume-batch electrostatics`.
void add_electrostatics_potential(CLI::App& lab, Context& context);
void add_electrostatics_ions(CLI::App& lab, Context& context);
void add_electrostatics_charges(CLI::App& lab, Context& context);
void add_electrostatics_prepare(CLI::App& lab, Context& context);
void add_electrostatics_make(CLI::App& lab, Context& context);
void add_electrostatics_residues(CLI::App& lab, Context& context);
void add_electrostatics_difference(CLI::App& lab, Context& context);
void add_electrostatics_render(CLI::App& lab, Context& context);
/// `bench electrostatics`.
void add_electrostatics_bench(CLI::App& bench, Context& context);

}  // namespace isolume::batch
