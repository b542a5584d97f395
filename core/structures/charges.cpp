#include "core/structures/charges.h"

#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/molecules/neighbourhood.h"
#include "core/structures/residues.h"

namespace isolume::structures {

using molecules::Neighbourhood;

std::string name_of_residue(const AtomLabel& label) {
  std::string text = label.residue;
  if (!label.chain.empty()) text += " " + label.chain;
  text += fmt::format(" {}", label.number);
  if (label.insertion != ' ') text += label.insertion;
  return text;
}

void add_atom(Charges& charges, const Eigen::Vector3d& place, double charge, double radius, AtomLabel label) {
  charges.x.push_back(place.x());
  charges.y.push_back(place.y());
  charges.z.push_back(place.z());
  charges.charge.push_back(charge);
  charges.radius.push_back(radius);
  charges.labels.push_back(std::move(label));
}

double total_charge(const Charges& charges) {
  return std::accumulate(charges.charge.begin(), charges.charge.end(), 0.0);
}

Box box_of(const Charges& charges) {
  Box box{charges.place(0), charges.place(0)};
  for (std::size_t i = 1; i < charges.size(); ++i) {
    box.low = box.low.cwiseMin(charges.place(i));
    box.high = box.high.cwiseMax(charges.place(i));
  }
  return box;
}

std::vector<std::string> residues_without_parameters(const Charges& charges) {
  std::vector<std::string> names;
  for (const auto& residue : residues_of(charges).all)
    if (!residue.has_parameters) names.push_back(residue.name);
  return names;
}

void remark_on_uncharged_residues(Charges& charges) {
  const auto names = residues_without_parameters(charges);
  if (!names.empty())
    charges.remarks.warn(fmt::format("The file gives no charge to residues: {}.", first_names(names)));
}

void remark_on_overlaps(Charges& charges) {
  constexpr double least = 0.5;  // angstrom
  Neighbourhood near(least);
  std::vector<std::string> names;
  const auto name = [&](std::size_t atom) {
    const auto& label = charges.labels[atom];
    return fmt::format("{} of {}", label.atom, name_of_residue(label));
  };
  for (std::size_t i = 0; i < charges.labels.size(); ++i) {
    if (charges.radius[i] == 0) continue;
    const auto place = charges.place(i);
    near.any(place, [&](std::size_t other, double apart) {
      names.push_back(fmt::format("{} and {}, {:.2f} angstrom", name(other), name(i), apart));
      return true;
    });
    near.add(place, i);
  }
  if (!names.empty())
    charges.remarks.add(
        RemarkKind::warning,
        fmt::format("Atoms are at nearly the same place, and all of them are used: {}.", first_names(names)),
        names.size());
}

void check(const Charges& charges) {
  if (charges.size() == 0) throw Error("There is no charge to sum over. Give one at least.");
  for (std::size_t i = 0; i < charges.size(); ++i) {
    for (const double value :
         {charges.x[i], charges.y[i], charges.z[i], charges.charge[i], charges.radius[i]}) {
      if (!(std::abs(value) <= most_magnitude)) {
        throw Error(fmt::format(
            "Atom {}: {} is not a coordinate, charge or radius. Give finite numbers within a million.", i + 1,
            value));
      }
    }
    if (charges.radius[i] < 0)
      throw Error(
          fmt::format("Atom {}: the radius is {}. Give a length of 0 or more.", i + 1, charges.radius[i]));
  }
}

}  // namespace isolume::structures
