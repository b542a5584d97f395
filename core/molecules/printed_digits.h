#pragma once

#include <string_view>

namespace isolume::molecules {

/// How exactly the numbers of one kind are printed in a file. Zeros and whole numbers tell nothing.
class PrintedDigits {
 public:
  void see(std::string_view word);

  /// Half a unit of the last digit with which a value like this one is printed; 0 where no number was seen.
  double half_unit(double value) const;

 private:
  int significant_ = 0;
  int decimals_ = 0;
  bool scientific_ = false;
};

}  // namespace isolume::molecules
