#pragma once

#include <string_view>

namespace isolume::molecules {

/// Precision of printed numbers of one kind in a file. Zeros and integers carry no information.
class PrintedDigits {
 public:
  void see(std::string_view word);

  /// Half a unit of the last printed digit of a value like this one; 0 if no number was seen.
  double half_unit(double value) const;

 private:
  int significant_ = 0;
  int decimals_ = 0;
  bool scientific_ = false;
};

}  // namespace isolume::molecules
