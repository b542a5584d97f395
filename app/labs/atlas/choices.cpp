#include "app/labs/atlas/choices.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/number_list.h"

namespace isolume::labs::atlas {

const parameters::Schema<AtlasChoices>& choices_schema() {
  using C = AtlasChoices;
  using parameters::field;
  static const parameters::Schema<C> schema({
      field("weights", &C::weights, "Weights")
          .group("Images")
          .help("Weights of the images in their order, separated by blanks. The others have 1; 0 leaves an "
                "image out."),
      field("by-age", &C::by_age, "Weigh by age")
          .group("Images")
          .help("Multiplies the weights by a Gaussian of the difference of ages: the average is that of an "
                "age. It needs the ages of the images."),
      field("age", &C::age, "Age")
          .unit("years")
          .range(0, 200)
          .usual(20, 100)
          .only_when("by-age", {"true"})
          .group("Images")
          .help("Age of the average."),
      field("kernel-years", &C::kernel_years, "Kernel")
          .unit("years")
          .range(0.01, 100)
          .usual(1, 20)
          .only_when("by-age", {"true"})
          .group("Images")
          .help("Standard deviation of the Gaussian that weighs the differences of ages."),
      field("linear", &C::linear, "Linear map",
            {{"none", "By the headers alone"}, {"rigid", "Rigid"}, {"affine", "Affine"}})
          .group("Images")
          .help("How each image is brought onto the first one, before all are deformed: by the linear map of "
                "the greatest mutual information, or as their headers place them."),
      field("show", &C::shown, "Show",
            {{"mean", "Mean"}, {"deviation", "Standard deviation"}, {"image", "One image"}})
          .group("View")
          .help("Mean: of the deformed images. Standard deviation: of the images about the mean, bright "
                "where they differ. One image: deformed onto the mean, when that is finished."),
      field("image", &C::image, "Image")
          .group("View")
          .range(1, 10000)
          .usual(1, 20)
          .only_when("show", {"image"})
          .help("Number of the image that is shown."),
  });
  return schema;
}

std::vector<double> weights_of(const std::string& text, std::size_t count) {
  constexpr double greatest = 1e6;
  std::vector<double> weights = numbers_in(text);
  const bool is_blank = text.find_first_not_of(" \t") == std::string::npos;
  if ((weights.empty() && !is_blank) ||
      !std::ranges::all_of(weights, [](double each) { return each >= 0 && each <= greatest; })) {
    throw Error(
        fmt::format("weights: expected numbers from 0 to {}, found {}.", greatest, isolume::quoted(text)));
  }
  if (weights.size() > count) {
    throw Error(fmt::format("There are {} weights and {} images. Give one weight for each image at most.",
                            weights.size(), count));
  }
  weights.resize(count, 1);
  return weights;
}

std::string text_of(const std::vector<double>& weights) {
  const bool all_are_one = std::ranges::all_of(weights, [](double each) { return each == 1; });
  return all_are_one ? std::string() : fmt::format("{}", fmt::join(weights, " "));
}

}  // namespace isolume::labs::atlas
