#pragma once

#include <string>
#include <vector>

#include "core/molecules/cif_category.h"
#include "core/molecules/secondary_range.h"

namespace isolume::molecules {

/// Gathers the helices and strands of an mmCIF file: its categories struct_conf and struct_sheet_range, which are loops or,
/// where there is one alone, single values.
class MmcifSecondary {
 public:
  /// Takes the value behind a tag; false, and nothing is taken, where the tag is of another category.
  bool take(const CifToken& tag, CifTokens& tokens);
  /// Takes the rows of a loop of these tags, as `cif_name` gives them; false, and nothing is taken, of other categories.
  bool take_loop(const std::vector<std::string>& tags, CifTokens& tokens);
  /// Chains and numbers that authors gave; none where one of them does not say from where to where.
  std::vector<SecondaryRange> ranges() const;

 private:
  // "_struct_conf_type" is another category, and has nothing that is asked for.
  CifCategory helices_{"_struct_conf_"}, strands_{"_struct_sheet_range_"};
};

}  // namespace isolume::molecules
