#include "core/orbitals/separable_lattice.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"

namespace isolume::orbitals {
namespace {

using separable::block_y;
using separable::block_z;
using separable::plane_points;
using separable::tile_x;

int blocks_of(int count, int size) {
  return (count + size - 1) / size;
}

/// Distance of a place from the points first .. first+count-1 of an axis.
double distance_from_block(const LatticeAxis& axis, int first, int count, double place) {
  const double low = axis.origin + axis.step * first;
  const double high = axis.origin + axis.step * (std::min(first + count, axis.count) - 1);
  return std::max({low - place, place - high, 0.0});
}

}  // namespace

SeparableLattice::SeparableLattice(const molecules::Molecule& molecule, const molecules::BasisSet& basis,
                                   const Eigen::MatrixXd& coefficients, const Eigen::VectorXd* weights,
                                   const lattice::Lattice& lattice, double tolerance)
    : axes_(axes_of(lattice)) {
  tiles_x_ = blocks_of(axes_[0].count, tile_x);
  blocks_y_ = blocks_of(axes_[1].count, block_y);
  blocks_z_ = blocks_of(axes_[2].count, block_z);
  auto grouped = group_primitives(molecule, basis, coefficients);
  groups_ = std::move(grouped.groups);
  coefficients_ = grouped.polynomials.cast<float>();
  lay_out(molecule, choose_terms(groups_, row_norms(grouped.polynomials, weights), tolerance));
  fill_tables();
}

SeparableLattice::TableRows SeparableLattice::plan_rows(int axis, const PrimitiveGroup& group, double centre,
                                                        double radius, int degree) {
  // One point more on each side, so that rounding cannot make a tile reach past the rows.
  const auto [first, last] = points_within(axes_[axis], centre, radius, 1, axis == 0 ? tile_x : block_y);
  if (last <= first) return {0, 0, true};
  const int stride = blocks_of(last - first, 16) * 16;
  auto& size = table_sizes_[axis];
  const std::size_t row = size;
  size += static_cast<std::size_t>(stride) * (degree + 1);
  if (size > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    throw ResourceError("A table of this field", size * sizeof(float), std::size_t{8} << 30,
                        "Use a coarser spacing or a smaller box.");
  }
  fill_jobs_[axis].push_back({axes_[axis].origin, axes_[axis].step, centre, group.exponent, degree, first,
                              last, nullptr, static_cast<std::size_t>(stride)});
  return {static_cast<std::int32_t>(row) - first, stride, false};
}

void SeparableLattice::lay_out(const molecules::Molecule& molecule,
                               const std::vector<SeparableTerm>& candidates) {
  group_tables_.resize(groups_.size());
  for (std::size_t begin = 0; begin < candidates.size();) {
    std::size_t end = begin;
    double radius = 0;
    while (end < candidates.size() && candidates[end].group == candidates[begin].group) {
      radius = std::max(radius, candidates[end++].radius);
    }
    const auto& group = groups_[candidates[begin].group];
    const Eigen::Vector3d place = molecule.atoms[group.atom].position_bohr;
    const int degree = group.degree - candidates[begin].power_x;  // of the (y, z) polynomials
    const TableRows x = plan_rows(0, group, place.x(), radius, candidates[end - 1].power_x);
    const TableRows y = plan_rows(1, group, place.y(), radius, degree);
    const TableRows z = plan_rows(2, group, place.z(), radius, degree);
    if (!x.empty && !y.empty && !z.empty) {
      group_tables_[candidates[begin].group] = {y.row, z.row, y.stride, z.stride};
      if (atoms_.empty() || groups_[terms_.back().group].atom != group.atom) {
        const auto first = static_cast<std::int32_t>(terms_.size());
        atoms_.push_back({place, 0, first, first});
      }
      for (std::size_t t = begin; t < end; ++t) {
        const auto& [g, power, r] = candidates[t];
        const auto row = group.first + polynomial_row(group.degree, power, 0, 0);
        terms_.push_back({g, x.row + power * x.stride, static_cast<std::int32_t>(row), power,
                          static_cast<float>(r * r * (1 + 1e-6))});
        atoms_.back().last = static_cast<std::int32_t>(terms_.size());
        atoms_.back().largest_radius_squared =
            std::max(atoms_.back().largest_radius_squared, terms_.back().radius_squared);
      }
    }
    begin = end;
  }
}

void SeparableLattice::fill_tables() {
  const separable::DenormalsAsZero denormals_as_zero;
  for (int axis = 0; axis < 3; ++axis) {
    tables_[axis] = AlignedFloats(table_sizes_[axis]);
    float* row = tables_[axis].data();
    for (auto& job : fill_jobs_[axis]) {
      job.rows = row - job.first;
      separable::fill_axis_table(job);
      row += job.stride * (job.degree + 1);
    }
    fill_jobs_[axis].clear();
  }
}

std::size_t SeparableLattice::memory_bytes() const {
  return (table_sizes_[0] + table_sizes_[1] + table_sizes_[2] + coefficients_.size()) * sizeof(float);
}

void SeparableLattice::list_terms(const AtomTerms& atom, double distance_squared, int y, int z,
                                  Scratch& scratch) const {
  const double tiles_per_bohr = 1 / (axes_[0].step * tile_x);
  const double centre = (atom.position.x() - axes_[0].origin) * tiles_per_bohr;
  std::int32_t group = -1;
  for (std::int32_t t = atom.first; t < atom.last; ++t) {
    const Term& term = terms_[t];
    const double slack = term.radius_squared - distance_squared;
    if (slack <= 0) continue;
    const double half = std::sqrt(slack) * tiles_per_bohr;
    const int first = static_cast<int>(std::clamp(centre - half, 0.0, static_cast<double>(tiles_x_)));
    const int last = static_cast<int>(std::clamp(std::floor(centre + half), -1.0, tiles_x_ - 1.0));
    if (first > last) continue;
    const int degree = groups_[term.group].degree - term.power_x;
    if (group != term.group) {  // the lowest power that reaches needs the most monomials
      group = term.group;
      const GroupTables& tables = group_tables_[group];
      const std::size_t offset = scratch.monomial_offsets.back();
      scratch.monomial_jobs.push_back({tables_[1].data() + tables.y_row + y,
                                       tables_[2].data() + tables.z_row + z,
                                       static_cast<std::size_t>(tables.y_stride),
                                       static_cast<std::size_t>(tables.z_stride), degree, nullptr});
      scratch.monomial_offsets.push_back(offset + plane_polynomial_size(degree) * plane_points);
    }
    const separable::TileEntry entry{term.x_row,
                                     static_cast<std::int32_t>(scratch.plane_terms.size() * plane_points)};
    scratch.plane_terms.push_back({nullptr, static_cast<std::uint32_t>(scratch.monomial_jobs.size() - 1),
                                   static_cast<std::uint32_t>(term.first_coefficient),
                                   static_cast<std::uint32_t>(plane_polynomial_size(degree))});
    for (int tile = first; tile <= last; ++tile) scratch.lists[tile].push_back(entry);
  }
}

void SeparableLattice::select(int pencil, Scratch& scratch) const {
  const int y = pencil % blocks_y_ * block_y;
  const int z = pencil / blocks_y_ * block_z;
  scratch.monomial_jobs.clear();
  scratch.monomial_offsets.assign(1, 0);
  scratch.plane_terms.clear();
  scratch.lists.resize(tiles_x_);
  for (auto& list : scratch.lists) list.clear();
  for (const auto& atom : atoms_) {
    const double dy = distance_from_block(axes_[1], y, block_y, atom.position.y());
    const double dz = distance_from_block(axes_[2], z, block_z, atom.position.z());
    const double distance_squared = dy * dy + dz * dz;
    if (distance_squared < atom.largest_radius_squared) list_terms(atom, distance_squared, y, z, scratch);
  }
  if (scratch.monomials.size() < scratch.monomial_offsets.back()) {
    scratch.monomials = AlignedFloats(scratch.monomial_offsets.back() * 5 / 4);
  }
  if (scratch.planes.size() < scratch.plane_terms.size() * plane_points) {
    scratch.planes = AlignedFloats(scratch.plane_terms.size() * plane_points * 5 / 4);
  }
  for (std::size_t g = 0; g < scratch.monomial_jobs.size(); ++g) {
    scratch.monomial_jobs[g].monomials = scratch.monomials.data() + scratch.monomial_offsets[g];
  }
  for (auto& term : scratch.plane_terms) term.monomials = scratch.monomial_jobs[term.group].monomials;
  scratch.tiles.assign(scratch.lists.begin(), scratch.lists.end());
}

separable::PencilJob SeparableLattice::job_for(int pencil, const Scratch& scratch) const {
  const int y = pencil % blocks_y_ * block_y;
  const int z = pencil / blocks_y_ * block_z;
  separable::PencilJob job;
  job.tiles = scratch.tiles;
  job.x_table = tables_[0].data();
  job.planes = scratch.planes.data();
  job.y_stride = static_cast<std::size_t>(axes_[0].count);
  job.z_stride = job.y_stride * static_cast<std::size_t>(axes_[1].count);
  job.first = y * job.y_stride + z * job.z_stride;
  job.count_x = axes_[0].count;
  job.count_y = std::min(block_y, axes_[1].count - y);
  job.count_z = std::min(block_z, axes_[2].count - z);
  return job;
}

void SeparableLattice::amplitudes(int pencil, const std::vector<float*>& fields, Scratch& scratch,
                                  const jobs::Progress& progress) const {
  const separable::DenormalsAsZero denormals_as_zero;
  select(pencil, scratch);
  separable::fill_plane_monomials(scratch.monomial_jobs);
  separable::PencilJob job = job_for(pencil, scratch);
  for (Eigen::Index k = 0; k < column_count(); ++k) {
    progress.check();
    separable::sum_planes(scratch.plane_terms, coefficients_.col(k).data(), scratch.planes.data());
    job.values = fields[k] + job.first;
    separable::compute_pencil(job);
  }
}

void SeparableLattice::density(int pencil, const Eigen::VectorXd& weights, float* field, Scratch& scratch,
                               const jobs::Progress& progress) const {
  const separable::DenormalsAsZero denormals_as_zero;
  select(pencil, scratch);
  separable::fill_plane_monomials(scratch.monomial_jobs);
  separable::PencilJob job = job_for(pencil, scratch);
  job.values = field + job.first;
  job.store = separable::Store::first_square;
  for (Eigen::Index k = 0; k < column_count(); ++k) {
    progress.check();
    separable::sum_planes(scratch.plane_terms, coefficients_.col(k).data(), scratch.planes.data());
    job.weight = static_cast<float>(weights[k]);
    separable::compute_pencil(job);
    job.store = separable::Store::add_square;
  }
}

double SeparableLattice::operations(int pencil, bool quadratic, Scratch& scratch) const {
  select(pencil, scratch);
  const separable::PencilJob job = job_for(pencil, scratch);
  const double plane = job.count_z * block_y;
  double multiply_adds = 0;
  double products = 0;
  for (const auto& each : scratch.plane_terms)
    multiply_adds += static_cast<double>(each.count) * plane_points;
  for (const auto& each : scratch.tiles) multiply_adds += static_cast<double>(each.size()) * tile_x * plane;
  for (const auto& each : scratch.monomial_jobs)
    products += plane_polynomial_size(each.degree) * plane_points;
  if (quadratic) multiply_adds += 1.5 * tiles_x_ * tile_x * plane;
  return 2 * multiply_adds * static_cast<double>(column_count()) + products;
}

}  // namespace isolume::orbitals
