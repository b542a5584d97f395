#pragma once

#include "core/parameters/description.h"

namespace isolume::workbench {

/// Between a slider's whole-numbered positions and a parameter's values, linear or logarithmic.
class SliderScale {
 public:
  static constexpr int positions = 1000;

  explicit SliderScale(const parameters::Description& description);

  /// Whether the parameter has a range that a slider can cover.
  static bool fits(const parameters::Description& description);
  int last_position() const { return last_; }
  /// Rounded to what one step of the slider means, so that people see 0.031 and not 0.0310456.
  double value(int position) const;
  int position(double value) const;

 private:
  double low_;
  double high_;
  bool logarithmic_;
  bool integer_;
  int last_;
};

}  // namespace isolume::workbench
