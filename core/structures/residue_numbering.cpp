#include "core/structures/residue_numbering.h"

#include <fmt/format.h>

#include "core/base/counted.h"

namespace isolume::structures {

bool ResidueNumbering::number(AtomLabel& label, std::string_view word) {
  if (molecules::is_number_missing(word)) {
    count(label);
    return true;
  }
  constexpr long most = 99'999'999;
  const auto found = numbers_.read(word);
  if (!found || *found < -most || *found > most) return false;
  is_counting_ = false;
  label.number = last_ = static_cast<int>(*found);
  return true;
}

void ResidueNumbering::count(AtomLabel& label) {
  const bool is_same = is_counting_ && label.residue == first_.residue && label.chain == first_.chain &&
                       label.atom != first_.atom;
  if (!is_same) {
    ++last_;
    ++counted_;
    first_ = label;
  }
  is_counting_ = true;
  label.number = last_;
}

void ResidueNumbering::remark(Remarks& remarks) const {
  if (counted_ > 0)
    remarks.assumed(
        fmt::format("Numbers that cannot be read were counted on: {}.", counted(counted_, "residue")),
        counted_);
}

}  // namespace isolume::structures
