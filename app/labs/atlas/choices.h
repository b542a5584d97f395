#pragma once

#include <string>
#include <vector>

#include "core/anatomy/linear.h"
#include "core/parameters/schema.h"

namespace isolume::labs::atlas {

enum class Shown { mean, deviation, image };

struct AtlasChoices {
  std::string weights;  ///< of the images in their order, separated by blanks; those that are left out are 1
  anatomy::LinearModel linear = anatomy::LinearModel::affine;  ///< which brings each image onto the first one
  bool by_age = false;      ///< the weights are multiplied by those of a kernel about `age`
  double age = 60;          ///< years
  double kernel_years = 5;  ///< standard deviation of the kernel
  Shown shown = Shown::mean;
  int image = 1;  ///< from 1
  bool operator==(const AtlasChoices&) const = default;
};
const parameters::Schema<AtlasChoices>& choices_schema();

/// Weights of `count` images. Throws Error for more of them, and for one that is no number of 0 or above.
std::vector<double> weights_of(const std::string& text, std::size_t count);
std::string text_of(const std::vector<double>& weights);

}  // namespace isolume::labs::atlas
