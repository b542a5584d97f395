#pragma once

#include "core/parameters/description.h"

namespace isolume::workbench {

/// Converts between a slider's integer positions and a parameter's values, linear or logarithmic.
class SliderScale {
 public:
  static constexpr int positions = 1000;

  explicit SliderScale(const parameters::Description& description);

  /// Whether the parameter has a range that a slider can cover.
  static bool fits(const parameters::Description& description);
  int last_position() const { return last_; }
  /// Rounded to the resolution of one step of the slider, so that users see 0.031 and not 0.0310456.
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
