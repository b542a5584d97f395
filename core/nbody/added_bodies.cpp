#include "core/nbody/added_bodies.h"

#include <cmath>
#include <sstream>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/number.h"
#include "core/base/text.h"

namespace isolume::nbody {

std::vector<AddedBody> added_bodies(const std::string& text) {
  std::vector<AddedBody> found;
  std::istringstream all(text);
  for (std::string one; std::getline(all, one, ';');) {
    if (trimmed(one).empty()) continue;
    std::istringstream words(one);
    std::vector<double> numbers;
    for (std::string word; words >> word;) {
      const auto number = parse_finite(word);
      if (!number || std::abs(*number) > 1e150)
        throw Error(fmt::format("Added body {}: {} is not a finite number.", found.size() + 1,
                                isolume::quoted(word)));
      numbers.push_back(*number);
    }
    if (numbers.size() != 7 || numbers[0] < 0) {
      throw Error(
          fmt::format("Added body {}: {}. Give a mass of at least 0, x y z and vx vy vz, and a "
                      "semicolon before the next body.",
                      found.size() + 1, isolume::quoted(trimmed(one))));
    }
    found.push_back({numbers[0], {numbers[1], numbers[2], numbers[3]}, {numbers[4], numbers[5], numbers[6]}});
  }
  return found;
}

std::string with_added(const std::string& text, const AddedBody& body) {
  const auto& [mass, x, v] = body;
  return fmt::format("{}{}{} {} {} {} {} {} {}", text, text.empty() ? "" : "; ", mass, x.x(), x.y(), x.z(),
                     v.x(), v.y(), v.z());
}

}  // namespace isolume::nbody
