#pragma once

#include <string>
#include <vector>

#include "core/molecules/cif_category.h"
#include "core/molecules/secondary_range.h"

namespace isolume::molecules {

/// Collects the helices and strands of an mmCIF file: its categories struct_conf and struct_sheet_range, which are
/// loops or, if there is only one, single values.
class MmcifSecondary {
 public:
  /// Takes the value after a tag; returns false, taking nothing, if the tag belongs to another category.
  bool take(const CifToken& tag, CifTokens& tokens);
  /// Takes the rows of a loop with these tags, as returned by `cif_name`; returns false, taking nothing, for other
  /// categories.
  bool take_loop(const std::vector<std::string>& tags, CifTokens& tokens);
  /// With author-assigned chains and numbers; none if the ends of one of them are not stated.
  std::vector<SecondaryRange> ranges() const;

 private:
  // "_struct_conf_type" is another category without relevant data.
  CifCategory helices_{"_struct_conf_"}, strands_{"_struct_sheet_range_"};
};

}  // namespace isolume::molecules
