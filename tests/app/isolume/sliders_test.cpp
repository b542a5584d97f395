// What the sliders of all labs must offer: the values that people use, finely enough to be aimed at.
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "app/isolume/labs.h"
#include "app/workbench/parameters/slider_scale.h"

namespace isolume::workbench {
namespace {

using parameters::Description;
using parameters::Kind;

constexpr int pixels = 200, least_steps = 100;

/// Documents bring their ranges; before one is open there is none.
const std::set<std::string> ranges_of_documents{"window-centre", "window-width", "colour-low", "colour-high",
                                                "frame",         "set",          "time-point", "model"};

bool number(const Description& each) {
  return each.kind == Kind::real || each.kind == Kind::integer;
}

std::map<std::string, Description> numbers_of_labs() {
  std::map<std::string, Description> all;
  for (const auto& lab : labs()) {
    if (!lab.description.parameters) continue;
    for (const auto& each : lab.description.parameters()) {
      if (number(each) && !ranges_of_documents.contains(each.key))
        all.emplace(lab.description.name + "." + each.key, each);
    }
  }
  return all;
}

double usual_low(const Description& each) {
  return each.usual ? each.usual->low : each.low;
}

double usual_high(const Description& each) {
  return each.usual ? each.usual->high : each.high;
}

/// The values under the pixels of a slider that is dragged from one end to the other.
std::set<double> values_of_drag(const Description& each) {
  const SliderScale scale(each);
  std::set<double> values;
  for (int x = 0; x <= pixels; ++x) values.insert(scale.value(x * scale.last_position() / pixels));
  return values;
}

TEST(Sliders, AreThereForAllNumbers) {
  EXPECT_GT(numbers_of_labs().size(), 60U);
  for (const auto& [name, each] : numbers_of_labs()) EXPECT_TRUE(SliderScale::fits(each)) << name;
}

TEST(Sliders, HaveAHundredStepsInTwoHundredPixels) {
  for (const auto& [name, each] : numbers_of_labs()) {
    if (!SliderScale::fits(each)) continue;
    const double whole = usual_high(each) - usual_low(each) + 1;  // numbers, of an integer
    const auto wanted = each.kind == Kind::integer && whole < least_steps ? static_cast<std::size_t>(whole)
                                                                          : std::size_t{least_steps};
    EXPECT_GE(values_of_drag(each).size(), wanted) << name;
  }
}

/// Near a parameter's own size a pixel must not mean another world: a dielectric constant of 2 is not chosen on a slider
/// whose pixels are 5 apart.
TEST(Sliders, AreFineWhereTheDefaultIs) {
  constexpr double coarsest = 0.25;
  for (const auto& [name, each] : numbers_of_labs()) {
    if (each.kind != Kind::real || !SliderScale::fits(each)) continue;
    const double value = std::get<double>(each.default_value), low = usual_low(each), high = usual_high(each);
    EXPECT_GE(value, low) << name;
    EXPECT_LE(value, high) << name;
    if (value == 0) continue;
    const double step = each.scale == parameters::Scale::logarithmic
                            ? value * (std::pow(high / low, 1.0 / pixels) - 1)
                            : (high - low) / pixels;
    EXPECT_LE(step, coarsest * std::abs(value)) << name << ": " << step << " at " << value;
  }
}

/// Ranges that the field uses: proteins and water, salt from none to 1 mol/l (physiological 0.15), probes about water's
/// 1.4 angstrom, temperatures from freezing to boiling water.
TEST(Sliders, CoverWhatTheFieldUses) {
  const std::map<std::string, std::pair<double, double>> used{{"solute-dielectric", {1, 20}},
                                                              {"solvent-dielectric", {1, 100}},
                                                              {"salt", {0, 1}},
                                                              {"probe", {0, 2}},
                                                              {"temperature", {273.15, 373.15}},
                                                              {"focusing", {1, 4}}};
  const auto all = numbers_of_labs();
  for (const auto& [key, range] : used) {
    const Description& each = all.at("electrostatics." + key);
    EXPECT_LE(usual_low(each), range.first) << key;
    EXPECT_GE(usual_high(each), range.second) << key;
    EXPECT_LE(usual_high(each) - usual_low(each), 2 * (range.second - range.first) + 10) << key;
  }
}

TEST(Sliders, LetValuesBeyondThemBeTyped) {
  for (const auto& [name, each] : numbers_of_labs()) {
    if (!each.usual || !std::isfinite(each.high)) continue;
    EXPECT_LE(each.low, each.usual->low) << name;
    EXPECT_GE(each.high, each.usual->high) << name;
    const SliderScale scale(each);
    const std::string typed = each.kind == Kind::integer
                                  ? parameters::to_text(static_cast<std::int64_t>(each.high))
                                  : parameters::to_text(each.high);
    EXPECT_NO_THROW(parameters::parse(each, typed)) << name << " " << typed;
    EXPECT_EQ(scale.position(each.high), scale.last_position()) << name;
  }
}

}  // namespace
}  // namespace isolume::workbench
