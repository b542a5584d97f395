#include "core/structures/charges.h"

#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"

namespace isolume::structures {

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

std::optional<Eigen::Matrix3d> cell_of(const Eigen::Vector3d& lengths, const Eigen::Vector3d& angles) {
  for (int axis = 0; axis < 3; ++axis) {
    if (!(lengths[axis] > 0 && lengths[axis] <= most_magnitude)) return std::nullopt;
    if (!(angles[axis] > 0 && angles[axis] < 180)) return std::nullopt;
  }
  // A right angle has a cosine of 0 exactly, so that boxes with right angles lie along the axes.
  const auto cosine = [&](int axis) {
    return angles[axis] == 90 ? 0 : std::cos(angles[axis] * std::numbers::pi / 180);
  };
  const double alpha = cosine(0), beta = cosine(1), gamma = cosine(2), sine = std::sqrt(1 - gamma * gamma);
  const double y = (alpha - beta * gamma) / sine, z = 1 - beta * beta - y * y;
  if (!(z > 1e-12)) return std::nullopt;
  Eigen::Matrix3d cell;
  cell.col(0) = lengths[0] * Eigen::Vector3d::UnitX();
  cell.col(1) = lengths[1] * Eigen::Vector3d(gamma, sine, 0);
  cell.col(2) = lengths[2] * Eigen::Vector3d(beta, y, std::sqrt(z));
  return cell;
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
  std::vector<std::string> names;  // in the order of the file
  std::map<std::string, bool> without_charge;
  for (std::size_t i = 0; i < charges.labels.size(); ++i) {
    const std::string name = name_of_residue(charges.labels[i]);
    const auto [found, is_new] = without_charge.emplace(name, true);
    if (is_new) names.push_back(name);
    found->second = found->second && charges.charge[i] == 0;
  }
  std::erase_if(names, [&](const auto& name) { return !without_charge.at(name); });
  return names;
}

void check(const Charges& charges) {
  if (charges.size() == 0) throw Error("There is no charge to sum over. Give one at least.");
  for (std::size_t i = 0; i < charges.size(); ++i) {
    for (const double value :
         {charges.x[i], charges.y[i], charges.z[i], charges.charge[i], charges.radius[i]}) {
      if (!(std::abs(value) <= most_magnitude)) {
        throw Error(
            fmt::format("Atom {}: {} is not a place, charge or radius. Give finite numbers within a million.",
                        i + 1, value));
      }
    }
    if (charges.radius[i] < 0)
      throw Error(
          fmt::format("Atom {}: the radius is {}. Give a length of 0 or more.", i + 1, charges.radius[i]));
  }
}

}  // namespace isolume::structures
