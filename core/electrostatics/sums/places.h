#pragma once

#include <cstddef>
#include <vector>

namespace isolume::electrostatics {

struct Places {
  std::vector<double> x, y, z;  ///< angstrom

  std::size_t size() const { return x.size(); }
};

}  // namespace isolume::electrostatics
