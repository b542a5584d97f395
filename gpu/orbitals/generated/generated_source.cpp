#include "gpu/orbitals/generated/generated_source.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numbers>
#include <string_view>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/molecules/basis_set.h"

namespace isolume::gpu {
namespace {

/// "xxy" for x^2 y.
std::string monomial_name(const molecules::CartesianPowers& powers) {
  return std::string(powers.x, 'x') + std::string(powers.y, 'y') + std::string(powers.z, 'z');
}

/// The distinct exponents of an atom's shells, in the order of first use.
std::vector<double> distinct_exponents(const AtomType& type) {
  std::vector<double> found;
  for (const auto& shell : type.shells) {
    for (const double exponent : shell.exponents) {
      if (std::ranges::find(found, exponent) == found.end()) found.push_back(exponent);
    }
  }
  return found;
}

int highest_momentum(const AtomType& type) {
  return std::ranges::max(type.shells, {}, &TypeShell::angular_momentum).angular_momentum;
}

/// The statements that add one atom to psi0 .. psiK-1.
class AtomWriter {
 public:
  AtomWriter(const AtomType& type, const GeneratedShape& shape, std::string& text)
      : type_(type), shape_(shape), exponents_(distinct_exponents(type)), text_(text) {}

  void write() {
    write_place();
    write_monomials();
    for (const auto& shell : type_.shells) write_shell(shell);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> pattern, Args&&... args) {
    text_ += "      ";
    fmt::format_to(std::back_inserter(text_), pattern, std::forward<Args>(args)...);
    text_ += '\n';
  }

  void write_place() {
    line("const float4 n = atom[0], r = atom[1];");
    switch (shape_.places) {
      case PlaceKind::aligned_grid:
        line("const float x = fmaf(i - n.x, a.x, r.x);");
        line("const float y = fmaf(j - n.y, b.y, r.y);");
        line("const float z = fmaf(k - n.z, c.z, r.z);");
        break;
      case PlaceKind::grid:
        line("const float u = i - n.x, v = j - n.y, w = k - n.z;");
        line("const float x = fmaf(u, a.x, fmaf(v, b.x, fmaf(w, c.x, r.x)));");
        line("const float y = fmaf(u, a.y, fmaf(v, b.y, fmaf(w, c.y, r.y)));");
        line("const float z = fmaf(u, a.z, fmaf(v, b.z, fmaf(w, c.z, r.z)));");
        break;
      case PlaceKind::scattered:
        line("const float x = (high.x - n.x) + (low.x - r.x);");
        line("const float y = (high.y - n.y) + (low.y - r.y);");
        line("const float z = (high.z - n.z) + (low.z - r.z);");
        break;
    }
    line("const float r2 = fmaf(x, x, fmaf(y, y, z * z));");
  }

  void write_monomials() {
    for (int l = 2; l <= highest_momentum(type_); ++l) {
      for (const auto& powers : molecules::cartesian_powers(l)) {
        const std::string name = monomial_name(powers);
        line("const float {} = {} * {};", name, name.substr(0, name.size() - 1), name.back());
      }
    }
  }

  /// The exponential's name; its statement is written on first use.
  std::string exponential(double exponent) {
    const auto at = static_cast<std::size_t>(std::ranges::find(exponents_, exponent) - exponents_.begin());
    if (at == written_exponents_) {
      line("const float e{} = exp2f({} * r2);", at, float_literal(-exponent * std::numbers::log2e));
      ++written_exponents_;
    }
    return fmt::format("e{}", at);
  }

  /// The coefficient of the next monomial and a column; its word is read on first use.
  std::string coefficient(int column) {
    const std::size_t at = next_monomial_ * shape_.columns + column;
    if (at / 4 == read_words_) {
      line("const float4 q{0} = coefficient[{0}];", read_words_);
      ++read_words_;
    }
    return fmt::format("q{}.{}", at / 4, "xyzw"[at % 4]);
  }

  void write_shell(const TypeShell& shell) {
    const std::string radial = fmt::format("g{}", shells_++);
    for (std::size_t p = 0; p < shell.exponents.size(); ++p) {
      const std::string e = exponential(shell.exponents[p]);
      const std::string factor = float_literal(shell.factors[p]);
      if (p == 0) {
        line("float {} = {} * {};", radial, factor, e);
      } else {
        line("{0} = fmaf({1}, {2}, {0});", radial, factor, e);
      }
    }
    if (shell.angular_momentum == 0) {
      for (int k = 0; k < shape_.columns; ++k)
        line("psi{0} = fmaf({1}, {2}, psi{0});", k, coefficient(k), radial);
      ++next_monomial_;
      return;
    }
    bool first = true;
    for (const auto& powers : molecules::cartesian_powers(shell.angular_momentum)) {
      const std::string monomial = monomial_name(powers);
      for (int k = 0; k < shape_.columns; ++k) {
        const std::string factor = coefficient(k);
        if (first) {
          line("float {}_{} = {} * {};", radial, k, factor, monomial);
        } else {
          line("{0}_{1} = fmaf({2}, {3}, {0}_{1});", radial, k, factor, monomial);
        }
      }
      first = false;
      ++next_monomial_;
    }
    for (int k = 0; k < shape_.columns; ++k) line("psi{0} = fmaf({1}, {1}_{0}, psi{0});", k, radial);
  }

  const AtomType& type_;
  const GeneratedShape& shape_;
  std::vector<double> exponents_;
  std::string& text_;
  std::size_t written_exponents_ = 0;
  std::size_t next_monomial_ = 0;
  std::size_t read_words_ = 0;
  int shells_ = 0;
};

std::string_view place_of_point(PlaceKind kind) {
  if (kind == PlaceKind::scattered) {
    return "  const float4 high = places[2 * (first + p)], low = places[2 * (first + p) + 1];\n";
  }
  return "  const float4 a = places[0], b = places[1], c = places[2];\n"
         "  const float i = (float)(p % nx), j = (float)(p / nx), k = (float)(first + (int)blockIdx.y);\n";
}

std::string beginning(const GeneratedShape& shape) {
  // By default, the compiler spills registers to have more threads running than necessary.
  constexpr int blocks_per_multiprocessor = 8;
  return fmt::format(
      "extern \"C\" __global__ void __launch_bounds__({0}, {1}) sum_atoms(\n"
      "    const float4* __restrict__ atoms, const int* __restrict__ atom_counts,\n"
      "    const float4* __restrict__ coefficients, int pass_count, const float* __restrict__ weights,\n"
      "    int column_count, const float4* __restrict__ places, int nx, int plane_size, int first, float* "
      "out,\n"
      "    unsigned long long field_stride) {{\n"
      "  const int p = (int)(blockIdx.x * {0}u + threadIdx.x);\n"
      "  if (p >= plane_size) return;\n"
      "{2}  float* to = out + (unsigned long long)blockIdx.y * plane_size + p;\n"
      "{3}  const float4* coefficient = coefficients;\n"
      "  for (int pass = 0; pass < pass_count; ++pass) {{\n"
      "    const float4* atom = atoms;\n",
      generated_block_size, blocks_per_multiprocessor, place_of_point(shape.places),
      shape.quadratic ? "  float sum = 0.0f;\n" : "");
}

std::string ending(const GeneratedShape& shape) {
  std::string text;
  for (int k = 0; k < shape.columns; ++k) {
    if (shape.quadratic) {
      text +=
          fmt::format("    sum = fmaf(weights[{0} * pass + {1}] * psi{1}, psi{1}, sum);\n", shape.columns, k);
    } else {
      text += fmt::format(
          "    if ({0} * pass + {1} < column_count) to[({0} * pass + {1}) * field_stride] = psi{1};\n",
          shape.columns, k);
    }
  }
  text += "  }\n";
  if (shape.quadratic) text += "  *to = sum;\n";
  return text + "}\n";
}

void require_length(std::size_t bytes) {
  if (bytes <= largest_generated_source) return;
  throw Error(fmt::format("its source would be longer than {}: too many kinds of atoms or functions.",
                          format_bytes(largest_generated_source)));
}

}  // namespace

std::string float_literal(double value) {
  const auto rounded = static_cast<float>(value);
  if (!std::isfinite(rounded)) throw Error(fmt::format("the number {} is beyond single precision.", value));
  return fmt::format("{:#.9g}f", rounded);
}

std::string generated_source(const std::vector<AtomType>& types, const GeneratedShape& shape) {
  std::string text = beginning(shape);
  for (int k = 0; k < shape.columns; ++k) text += fmt::format("    float psi{} = 0.0f;\n", k);
  for (std::size_t t = 0; t < types.size(); ++t) {
    text += fmt::format("    for (int left = atom_counts[{}]; left > 0; --left) {{\n", t);
    AtomWriter(types[t], shape, text).write();
    text += fmt::format("      atom += 2;\n      coefficient += {};\n    }}\n",
                        generated_words(types[t], shape.columns));
    require_length(text.size());
  }
  return text + ending(shape);
}

std::size_t generated_words(const AtomType& type, int columns) {
  return (type.monomial_count() * columns + 3) / 4;
}

double generated_flop(const AtomType& type, const GeneratedShape& shape) {
  constexpr std::array<double, 3> place{9, 21, 9};  // by PlaceKind
  constexpr double radius = 5;
  double flop = place[static_cast<std::size_t>(shape.places)] + radius;
  flop += 2.0 * static_cast<double>(distinct_exponents(type).size());
  for (int l = 2; l <= highest_momentum(type); ++l) flop += monomial_count(l);
  for (const auto& shell : type.shells) {
    flop += 2.0 * static_cast<double>(shell.exponents.size()) - 1;
    const int monomials = monomial_count(shell.angular_momentum);
    flop += shape.columns * (shell.angular_momentum == 0 ? 2.0 : 2.0 * monomials + 1);
  }
  return flop;
}

}  // namespace isolume::gpu
