#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/remarks.h"
#include "core/molecules/residue_numbers.h"
#include "core/structures/charges.h"

namespace isolume::structures {

/// Gives consecutive atoms of a file the numbers of their residues. Where a number is missing or does not fit
/// (****), they are counted on: another name of residue or chain, or the first atom's name again, begins another one.
class ResidueNumbering {
 public:
  /// Sets label.number; the other parts of the label must be known. Returns false if the word is no number.
  [[nodiscard]] bool number(AtomLabel& label, std::string_view word);
  bool continues(std::string_view word) const { return numbers_.continues(word); }
  /// Adds a remark if residues were counted.
  void remark(Remarks& remarks) const;

 private:
  void count(AtomLabel& label);

  molecules::ResidueNumbers numbers_;
  AtomLabel first_;  ///< of the residue that is being counted
  bool is_counting_ = false;
  int last_ = 0;
  std::size_t counted_ = 0;
};

}  // namespace isolume::structures
