#include "core/flames/variations.h"

#include <algorithm>

namespace isolume::flames {
namespace {

constexpr VariationParameter blob[] = {
    {"low", "Least radius", 0, -2, 2}, {"high", "Greatest radius", 1, -2, 2}, {"waves", "Waves", 1, 0, 12}};
constexpr VariationParameter pdj[] = {
    {"a", "a", 1, -3, 3}, {"b", "b", 2, -3, 3}, {"c", "c", 3, -3, 3}, {"d", "d", 4, -3, 3}};
constexpr VariationParameter fan2[] = {{"x", "Width", 0.5, -1, 1}, {"y", "Shift", 1, -3, 3}};
constexpr VariationParameter rings2[] = {{"val", "Width", 0.5, -1, 1}};
constexpr VariationParameter perspective[] = {{"angle", "Angle", 0.5, -1, 1},
                                              {"dist", "Distance", 2, 0.5, 6}};
constexpr VariationParameter julian[] = {{"power", "Power", 2, -12, 12}, {"dist", "Distance", 1, -3, 3}};
constexpr VariationParameter radial_blur[] = {{"angle", "Angle", 0.5, -1, 1}};
constexpr VariationParameter pie[] = {{"slices", "Slices", 6, 1, 24},
                                      {"rotation", "Rotation", 0, -3.14159, 3.14159},
                                      {"thickness", "Thickness", 0.5, 0, 1}};
constexpr VariationParameter ngon[] = {{"sides", "Sides", 5, 3, 12},
                                       {"power", "Power", 3, 0, 6},
                                       {"circle", "Circle", 1, 0, 3},
                                       {"corners", "Corners", 2, 0, 3}};
constexpr VariationParameter curl[] = {{"c1", "c1", 1, -2, 2}, {"c2", "c2", 0, -2, 2}};
constexpr VariationParameter rectangles[] = {{"x", "Width", 1, 0, 3}, {"y", "Height", 1, 0, 3}};

using V = Variation;
constexpr VariationInfo all[] = {
    {V::linear, "linear", {}},
    {V::sinusoidal, "sinusoidal", {}},
    {V::spherical, "spherical", {}},
    {V::swirl, "swirl", {}},
    {V::horseshoe, "horseshoe", {}},
    {V::polar, "polar", {}},
    {V::handkerchief, "handkerchief", {}},
    {V::heart, "heart", {}},
    {V::disc, "disc", {}},
    {V::spiral, "spiral", {}},
    {V::hyperbolic, "hyperbolic", {}},
    {V::diamond, "diamond", {}},
    {V::ex, "ex", {}},
    {V::julia, "julia", {}},
    {V::bent, "bent", {}},
    {V::waves, "waves", {}},
    {V::fisheye, "fisheye", {}},
    {V::popcorn, "popcorn", {}},
    {V::exponential, "exponential", {}},
    {V::power, "power", {}},
    {V::cosine, "cosine", {}},
    {V::rings, "rings", {}},
    {V::fan, "fan", {}},
    {V::blob, "blob", blob},
    {V::pdj, "pdj", pdj},
    {V::fan2, "fan2", fan2},
    {V::rings2, "rings2", rings2},
    {V::eyefish, "eyefish", {}},
    {V::bubble, "bubble", {}},
    {V::cylinder, "cylinder", {}},
    {V::perspective, "perspective", perspective},
    {V::noise, "noise", {}},
    {V::julian, "julian", julian},
    {V::juliascope, "juliascope", julian},
    {V::blur, "blur", {}},
    {V::gaussian_blur, "gaussian_blur", {}},
    {V::radial_blur, "radial_blur", radial_blur},
    {V::pie, "pie", pie},
    {V::ngon, "ngon", ngon},
    {V::curl, "curl", curl},
    {V::rectangles, "rectangles", rectangles},
    {V::arch, "arch", {}},
    {V::tangent, "tangent", {}},
    {V::square, "square", {}},
    {V::rays, "rays", {}},
    {V::blade, "blade", {}},
    {V::secant2, "secant2", {}},
    {V::twintrian, "twintrian", {}},
    {V::cross, "cross", {}},
};
static_assert(std::size(all) == variation_count);

}  // namespace

std::span<const VariationInfo> variations() {
  return all;
}

std::optional<Variation> find_variation(std::string_view name) {
  if (name == "gaussian") return V::gaussian_blur;
  if (name == "secant") return V::secant2;
  const auto* const found = std::ranges::find(all, name, &VariationInfo::name);
  return found == std::end(all) ? std::nullopt : std::optional(found->variation);
}

Term term_of(Variation variation, double amount) {
  Term term{.variation = variation, .amount = amount};
  std::ranges::transform(info(variation).parameters, term.parameters.begin(), &VariationParameter::standard);
  return term;
}

}  // namespace isolume::flames
