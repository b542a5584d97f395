#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace isolume::grid {

/// Fields on one grid that follow each other, of which one is loaded: phases of a heart, repetitions, echoes, b-values.
struct TimePoints {
  std::vector<std::string> names;  ///< "phase 2 of 10"; empty for a single field
  int index = 0;                   ///< of the loaded one, from 0
  std::optional<double>
      step_s;  ///< from one to the next, where they are equally spaced in time and it is known

  int count() const { return names.empty() ? 1 : static_cast<int>(names.size()); }
  bool has_several() const { return count() > 1; }
  /// Of the loaded one; empty for a single field.
  std::string name() const {
    return names.empty() ? std::string() : names.at(static_cast<std::size_t>(index));
  }
  /// Of the loaded one, since the first; empty where that is not known.
  std::optional<double> time_s() const;
  bool operator==(const TimePoints&) const = default;
};

/// Names for fields of which nothing but their order is known: "volume 1 of 12".
std::vector<std::string> numbered(std::string_view what, int count);

/// Throws Error, naming the file, unless it has a time point of this index.
void require_time_point(const std::filesystem::path& file, int index, int count);

}  // namespace isolume::grid
