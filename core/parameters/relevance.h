#pragma once

#include <set>
#include <string>

#include "core/parameters/schema.h"

namespace isolume::parameters {

/// The parameters that matter with the set's present values: the same as `relevant` for each, at the cost of
/// one.
std::set<std::string, std::less<>> relevant_keys(const ParameterSet& set);

}  // namespace isolume::parameters
