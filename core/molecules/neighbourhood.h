#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include <Eigen/Core>

namespace isolume::molecules {

/// Positions in a cell list, to find neighbours.
class Neighbourhood {
 public:
  /// Finds items closer than `reach`, in angstrom.
  explicit Neighbourhood(double reach) : reach_(reach) {}

  void add(const Eigen::Vector3d& place, std::size_t item);
  /// Calls visit(item, distance in angstrom) for all items within reach.
  template <class Visit>
  void near(const Eigen::Vector3d& place, Visit visit) const {
    any(place, [&](std::size_t item, double distance) {
      visit(item, distance);
      return false;
    });
  }
  /// Whether test(item, distance in angstrom) is true for one of these; stops at the first.
  template <class Test>
  bool any(const Eigen::Vector3d& place, Test test) const {
    const Eigen::Vector3i middle = cell_of(place);
    for (int x = -1; x <= 1; ++x)
      for (int y = -1; y <= 1; ++y)
        for (int z = -1; z <= 1; ++z) {
          const auto found = cells_.find(key_of(middle + Eigen::Vector3i(x, y, z)));
          if (found == cells_.end()) continue;
          for (const auto& [other, item] : found->second) {
            const double distance = (other - place).norm();
            if (distance < reach_ && test(item, distance)) return true;
          }
        }
    return false;
  }

 private:
  struct Entry {
    Eigen::Vector3d place;
    std::size_t item;
  };
  Eigen::Vector3i cell_of(const Eigen::Vector3d& place) const;
  static std::uint64_t key_of(const Eigen::Vector3i& cell);

  double reach_;
  std::unordered_map<std::uint64_t, std::vector<Entry>> cells_;
};

}  // namespace isolume::molecules
