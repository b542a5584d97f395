#include "core/anatomy/ages.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "core/anatomy/csv_lines.h"
#include "core/base/error.h"
#include "core/base/letter_case.h"
#include "core/base/number.h"

namespace isolume::anatomy {
namespace {

/// "a" of "scans/a.nii.gz".
std::string stem_of(const std::string& file) {
  const std::string name = std::filesystem::path(file).filename().string();
  return name.substr(0, name.find('.'));
}

}  // namespace

Ages read_ages(const std::filesystem::path& path) {
  constexpr const char* remedy =
      "Write a line of column names, such as image,age, and a line for each image.";
  CsvLines lines(path, "ages");
  const auto ignored = [](std::string_view) {};
  std::optional<std::size_t> image, age;
  if (lines.next(ignored)) {
    for (std::size_t i = 0; i < lines.cells().size(); ++i) {
      const std::string name = lower_case(lines.cells()[i]);
      if (name == "age") age = i;
      if (!image && (name == "image" || name == "file" || name == "name")) image = i;
    }
  }
  if (!image || !age) lines.fail("it has no columns named image and age", remedy);
  Ages ages;
  while (lines.next(ignored)) {
    const auto number = *age < lines.cells().size() ? parse_finite(lines.cells()[*age]) : std::nullopt;
    constexpr double oldest = 200;
    if (!number || *number < 0 || *number > oldest)
      lines.fail(fmt::format("expected an age in years in column {}, found {}", *age + 1, lines.found(*age)),
                 remedy);
    if (*image >= lines.cells().size() || lines.cells()[*image].empty())
      lines.fail(fmt::format("expected an image in column {}, found {}", *image + 1, lines.found(*image)),
                 remedy);
    if (!ages.emplace(lines.cells()[*image], *number).second)
      lines.fail(fmt::format("{} is listed twice", lines.found(*image)), "Leave one of the lines.");
  }
  if (ages.empty()) throw InputError(path, 0, "it lists no image", remedy);
  return ages;
}

std::vector<double> ages_of(const Ages& ages, std::span<const std::string> images) {
  std::vector<double> found;
  for (const std::string& image : images) {
    const std::string name = std::filesystem::path(image).filename().string();
    auto at = ages.find(image);
    if (at == ages.end()) at = ages.find(name);
    if (at == ages.end())
      at =
          std::ranges::find_if(ages, [&](const auto& each) { return stem_of(each.first) == stem_of(image); });
    if (at == ages.end())
      throw Error(fmt::format("The table of ages does not list {}. Add a line for it.", name));
    found.push_back(at->second);
  }
  return found;
}

std::vector<double> kernel_weights(std::span<const double> ages, double age, double kernel_years) {
  if (!(kernel_years > 0)) throw Error("The kernel's width in years has to be above 0.");
  double nearest = std::numeric_limits<double>::max();
  for (const double each : ages) nearest = std::min(nearest, std::abs(each - age));
  std::vector<double> weights;
  constexpr double least = 1e-3;
  for (const double each : ages) {
    const double weight =
        std::exp((nearest * nearest - std::pow(each - age, 2)) / (2 * kernel_years * kernel_years));
    weights.push_back(weight < least ? 0 : weight);
  }
  return weights;
}

double effective_count(std::span<const double> weights) {
  double sum = 0, squares = 0;
  for (const double each : weights) {
    sum += each;
    squares += each * each;
  }
  return squares > 0 ? sum * sum / squares : 0;
}

double mean_age(std::span<const double> ages, std::span<const double> weights) {
  double sum = 0, all = 0;
  for (std::size_t i = 0; i < ages.size(); ++i) {
    sum += weights[i] * ages[i];
    all += weights[i];
  }
  return all > 0 ? sum / all : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace isolume::anatomy
