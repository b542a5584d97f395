#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/parameters/schema.h"

namespace CLI {
class App;
}

namespace isolume::batch {

struct Context;

/// One flag for each parameter of the set, named, ranged and explained by its description: `--isovalue 0.03`,
/// and for switches `--slice`, `--no-slice`. What is given is stored in `set`, which must outlive the
/// parsing.
void add_parameter_flags(CLI::App& command, parameters::ParameterSet& set, Context& context);

/// Whether the person gave this parameter.
bool given(const CLI::App& command, const std::string& key);

/// The names of all options that the person gave, without dashes; those that have none, as FILE, are left out.
std::vector<std::string> given_options(const CLI::App& command);

/// A number that tells a computation: what the person gave on the command line but for these options, what is in the files, and
/// the program's version. Throws InputError where a file cannot be read.
std::uint64_t computation_of(const CLI::App& command, const std::vector<std::string>& but,
                             const std::vector<std::string>& files);

/// "log scale, 1e-06 to 10 bohr^-3/2": what a value may be, for help and manual.
std::string allowed_values(const parameters::Description& description);

}  // namespace isolume::batch
