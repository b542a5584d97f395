#include "core/molecules/angular_order.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "core/molecules/line_reader.h"

namespace isolume::molecules {
namespace {

constexpr std::array<std::string_view, 6> zero_plus_minus{"c0",
                                                          "c0 c1 s1",
                                                          "c0 c1 s1 c2 s2",
                                                          "c0 c1 s1 c2 s2 c3 s3",
                                                          "c0 c1 s1 c2 s2 c3 s3 c4 s4",
                                                          "c0 c1 s1 c2 s2 c3 s3 c4 s4 c5 s5"};

constexpr std::array<std::string_view, 6> lexicographic{
    "1",
    "x y z",
    "xx xy xz yy yz zz",
    "xxx xxy xxz xyy xyz xzz yyy yyz yzz zzz",
    "xxxx xxxy xxxz xxyy xxyz xxzz xyyy xyyz xyzz xzzz yyyy yyyz yyzz yzzz zzzz",
    "xxxxx xxxxy xxxxz xxxyy xxxyz xxxzz xxyyy xxyyz xxyzz xxzzz xyyyy xyyyz xyyzz xyzzz xzzzz "
    "yyyyy yyyyz yyyzz yyzzz yzzzz zzzzz"};

constexpr std::string_view h_by_falling_power =
    "xxxxx yyyyy zzzzz xxxxy xxxxz yyyyx yyyyz zzzzx zzzzy xxxyy xxxzz yyyxx yyyzz zzzxx zzzyy "
    "xxxyz yyyxz zzzxy xxyyz xxzzy yyzzx";
constexpr std::string_view g_by_falling_power =
    "xxxx yyyy zzzz xxxy xxxz yyyx yyyz zzzx zzzy xxyy xxzz yyzz xxyz yyxz zzxy";
constexpr std::string_view f_of_molden = "xxx yyy zzz xyy xxy xxz xzz yzz yyz xyz";
constexpr std::string_view d_of_molden = "xx yy zz xy xz yz";

/// A name in a comparable form: sorted letters, with the sign kept separately.
struct Name {
  std::string letters;
  double sign = 1;
};

Name read_name(std::string_view word) {
  Name name;
  if (word.starts_with('-')) {
    name.sign = -1;
    word.remove_prefix(1);
  }
  name.letters = word;
  const bool cartesian = name.letters.find_first_not_of("xyz") == std::string::npos;
  if (cartesian) std::sort(name.letters.begin(), name.letters.end());
  return name;
}

}  // namespace

const AngularOrder isolume_order{lexicographic, zero_plus_minus};

// The format's description ends at g. CFOUR, the only program known to write Cartesian h, lists them
// lexicographically.
const AngularOrder molden_order{
    {"1", "x y z", d_of_molden, f_of_molden, g_by_falling_power, lexicographic[5]}, zero_plus_minus};

const AngularOrder fchk_order{{"1", "x y z", d_of_molden, f_of_molden,
                               "zzzz yzzz yyzz yyyz yyyy xzzz xyzz xyyz xyyy xxzz xxyz xxyy xxxz xxxy xxxx",
                               "zzzzz yzzzz yyzzz yyyzz yyyyz yyyyy xzzzz xyzzz xyyzz xyyyz xyyyy xxzzz "
                               "xxyzz xxyyz xxyyy xxxzz xxxyz xxxyy xxxxz xxxxy xxxxx"},
                              zero_plus_minus};

const AngularOrder orca_order{molden_order.cartesian,
                              {"c0", "c0 c1 s1", "c0 c1 s1 c2 s2", "c0 c1 s1 c2 s2 -c3 -s3",
                               "c0 c1 s1 c2 s2 -c3 -s3 -c4 -s4", "c0 c1 s1 c2 s2 -c3 -s3 -c4 -s4 c5 s5"}};

const AngularOrder nwchem_order{lexicographic,
                                {"c0", "c0 -c1 s1", "c0 -c1 s1 c2 s2", "c0 -c1 s1 c2 s2 -c3 s3",
                                 "c0 -c1 s1 c2 s2 -c3 s3 c4 s4", "c0 -c1 s1 c2 s2 -c3 s3 c4 s4 -c5 s5"}};

const AngularOrder lexicographic_order{lexicographic,
                                       {"c0", "s1 c0 c1", "s2 s1 c0 c1 c2", "s3 s2 s1 c0 c1 c2 c3",
                                        "s4 s3 s2 s1 c0 c1 c2 c3 c4", "s5 s4 s3 s2 s1 c0 c1 c2 c3 c4 c5"}};

const AngularOrder reverse_lexicographic_order{
    {"1", "x y z", "zz yz yy xz xy xx", "zzz yzz yyz yyy xzz xyz xyy xxz xxy xxx", fchk_order.cartesian[4],
     fchk_order.cartesian[5]},
    {"c0", "c1 c0 s1", "c2 c1 c0 s1 s2", "c3 c2 c1 c0 s1 s2 s3", "c4 c3 c2 c1 c0 s1 s2 s3 s4",
     "c5 c4 c3 c2 c1 c0 s1 s2 s3 s4 s5"}};

const AngularOrder gamess_order{{"1", "x y z", d_of_molden, "xxx yyy zzz xxy xxz yyx yyz zzx zzy xyz",
                                 g_by_falling_power, h_by_falling_power},
                                zero_plus_minus};

const AngularOrder aim_order{{"1", "x y z", d_of_molden, "xxx yyy zzz xxy xxz yyz xyy xzz yzz xyz",
                              g_by_falling_power, fchk_order.cartesian[5]},
                             zero_plus_minus};

Rearrangement rearrangement(std::string_view from, std::string_view to) {
  std::vector<std::string_view> words;
  std::unordered_map<std::string, std::pair<int, double>> places;
  split_words(from, words);
  const std::size_t count = words.size();
  for (std::size_t i = 0; i < count; ++i) {
    Name name = read_name(words[i]);
    places.emplace(std::move(name.letters), std::pair(static_cast<int>(i), name.sign));
  }
  split_words(to, words);
  if (words.size() != count || places.size() != count) {
    throw std::invalid_argument("two function orders of different length");
  }
  Rearrangement result;
  for (const std::string_view word : words) {
    const Name name = read_name(word);
    const auto place = places.find(name.letters);
    if (place == places.end())
      throw std::invalid_argument("two function orders that name different functions");
    result.source.push_back(place->second.first);
    result.sign.push_back(name.sign * place->second.second);
  }
  return result;
}

Rearrangement rearrangement(const BasisSet& basis, const AngularOrder& from, const AngularOrder& to) {
  std::array<std::array<Rearrangement, max_angular_momentum + 1>, 2> known;
  Rearrangement result;
  int first = 0;
  for (const Shell& shell : basis.shells) {
    Rearrangement& one = known[shell.spherical ? 1 : 0][static_cast<std::size_t>(shell.angular_momentum)];
    if (one.source.empty()) one = rearrangement(from.of(shell), to.of(shell));
    for (std::size_t i = 0; i < one.source.size(); ++i) {
      result.source.push_back(first + one.source[i]);
      result.sign.push_back(one.sign[i]);
    }
    first += shell.function_count();
  }
  return result;
}

void rearrange_rows(const Rearrangement& how, Eigen::MatrixXd& rows) {
  Eigen::VectorXd column(rows.rows());
  for (Eigen::Index c = 0; c < rows.cols(); ++c) {
    for (Eigen::Index i = 0; i < rows.rows(); ++i) {
      const auto k = static_cast<std::size_t>(i);
      column[i] = how.sign[k] * rows(how.source[k], c);
    }
    rows.col(c) = column;
  }
}

}  // namespace isolume::molecules
