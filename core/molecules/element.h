#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace isolume::molecules {

struct Element {
  std::string_view symbol;
  std::string_view name;
  double covalent_radius_angstrom;       ///< Cordero et al., Dalton Trans. 2008, 2832
  double van_der_waals_radius_angstrom;  ///< Alvarez, Dalton Trans. 2013, 8617
  std::array<std::uint8_t, 3> colour;    ///< sRGB, for drawing
};

/// 0 (a ghost atom "X") to 118; anything else gives the ghost's.
const Element& element(int atomic_number);

/// "C", "c", "CL", "Cl17", "C1" -> atomic number; -1 if there is no such element.
int atomic_number(std::string_view symbol);

}  // namespace isolume::molecules
