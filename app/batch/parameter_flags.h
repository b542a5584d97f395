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
/// and for switches `--slice`, `--no-slice`. Given values are stored in `set`, which must outlive the
/// parsing.
void add_parameter_flags(CLI::App& command, parameters::ParameterSet& set, Context& context);

/// Whether the command line gives this parameter.
bool given(const CLI::App& command, const std::string& key);

/// Throws UsageError for a given parameter that does not matter with the set's present values ("Only when ..." of
/// its help): it would be ignored.
void refuse_ignored(const CLI::App& command, const parameters::ParameterSet& set);
/// The same for all parameters of the command.
void refuse_ignored(const CLI::App& command, const Context& context);

/// Names of all given options, without dashes; positional arguments such as FILE are left out.
std::vector<std::string> given_options(const CLI::App& command);

/// Hash that identifies a computation: the given options except these, the contents of the files, and the
/// program's version. Throws InputError if a file cannot be read.
std::uint64_t computation_of(const CLI::App& command, const std::vector<std::string>& but,
                             const std::vector<std::string>& files);

/// Allowed values for help and manual: "log scale, 1e-06 to 10 bohr^-3/2".
std::string allowed_values(const parameters::Description& description);

}  // namespace isolume::batch
