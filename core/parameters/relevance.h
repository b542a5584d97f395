#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/parameters/schema.h"

namespace isolume::parameters {

/// The parameters that matter with the set's present values: the same as `relevant` for each, at the cost of
/// one.
std::set<std::string, std::less<>> relevant_keys(const ParameterSet& set);
/// The same where the set's descriptions, `all`, have been made already.
std::set<std::string, std::less<>> relevant_keys(const ParameterSet& set,
                                                 const std::vector<Description>& all);

/// The first condition, of the parameter or of those that its condition depends on, which the set's present values do
/// not meet; nothing if the parameter matters.
std::optional<Relevance> unmet_condition(const Description& description, const ParameterSet& set);

}  // namespace isolume::parameters
