#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace isolume::anatomy {

/// Ages in years by the names of image files.
using Ages = std::map<std::string, double>;
/// A table (.csv): a line of names with `age` and `image` (or `file` or `name`) in any order, then a line for each image. Throws
/// InputError, also for an image that is listed twice and an age that is no number from 0 to 200.
Ages read_ages(const std::filesystem::path& path);
/// The age of each image: of its file name, with or without its suffixes and folders. Throws Error naming an image that has none.
std::vector<double> ages_of(const Ages& ages, std::span<const std::string> images);

/// Weights of images for an average at an age (kernel regression: B. C. Davis et al., Int. J. Comput. Vis. 90, 255, 2010): a Gaussian
/// of the difference of ages, whose standard deviation is `kernel_years`, relative to the image that is nearest. Weights below a
/// thousandth are 0. Throws Error for a kernel that is not above 0.
std::vector<double> kernel_weights(std::span<const double> ages, double age, double kernel_years);

/// How many images of equal weight would vary as little: the square of the sum by the sum of squares.
double effective_count(std::span<const double> weights);
/// The weighted mean of ages, which is not the wanted age where there are more images on one side of it.
double mean_age(std::span<const double> ages, std::span<const double> weights);

}  // namespace isolume::anatomy
