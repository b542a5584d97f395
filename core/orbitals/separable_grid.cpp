#include "core/orbitals/separable_grid.h"

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

/// Distance of a coordinate from the points first .. first+count-1 of an axis.
double distance_from_block(const GridAxis& axis, int first, int count, double place) {
  const double low = axis.origin + axis.step * first;
  const double high = axis.origin + axis.step * (std::min(first + count, axis.count) - 1);
  return std::max({low - place, place - high, 0.0});
}

bool is_local(const molecules::Molecule& molecule, const Eigen::MatrixXd& coefficients,
              const Eigen::VectorXd* weights, const grid::Grid& grid) {
  return weights != nullptr && LocalDensity::worthwhile(molecule, coefficients, grid);
}

}  // namespace

SeparableGrid::SeparableGrid(const molecules::Molecule& molecule, const molecules::BasisSet& basis,
                             const Eigen::MatrixXd& coefficients, const Eigen::VectorXd* weights,
                             const grid::Grid& grid, double tolerance)
    : axes_(axes_of(grid)) {
  check_shapes(molecule, basis, coefficients);
  const bool local = is_local(molecule, coefficients, weights, grid);
  tiles_x_ = blocks_of(axes_[0].count, tile_x);
  blocks_y_ = blocks_of(axes_[1].count, block_y);
  blocks_z_ = blocks_of(axes_[2].count, block_z);
  pieces_y_ = local ? blocks_of(blocks_y_, 2) : blocks_y_;
  pieces_z_ = local ? blocks_of(blocks_z_, 2) : blocks_z_;
  auto grouped = group_functions(molecule, basis);
  groups_ = std::move(grouped.groups);
  const Eigen::MatrixXd polynomials = grouped.polynomials * coefficients;
  lay_out(molecule,
          choose_terms(groups_, row_norms(polynomials, weights), local ? tolerance / 2 : tolerance));
  fill_tables();
  if (weights != nullptr) weights_ = weights->cast<float>();
  if (local) {
    std::vector<double> reach(molecule.atoms.size(), -1);
    for (const auto& atom : atoms_) {
      const std::int32_t group = terms_[static_cast<std::size_t>(atom.first)].group;
      reach[static_cast<std::size_t>(groups_[static_cast<std::size_t>(group)].atom)] =
          std::sqrt(atom.largest_radius_squared);
    }
    local_.emplace(
        LocalDensity::Problem{molecule, basis, coefficients, *weights, grid, tolerance, std::move(reach)},
        std::move(grouped.polynomials));
  } else {
    coefficients_ = polynomials.cast<float>();
  }
}

int SeparableGrid::planes_per_block(const molecules::Molecule& molecule, const Eigen::MatrixXd& coefficients,
                                    const Eigen::VectorXd* weights, const grid::Grid& grid) {
  return is_local(molecule, coefficients, weights, grid) ? 2 * block_z : block_z;
}

SeparableGrid::TableRows SeparableGrid::plan_rows(int axis, const PrimitiveGroup& group, double centre,
                                                  double radius, int degree) {
  // One more point on each side, so that rounding cannot make a tile extend past the rows.
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

void SeparableGrid::lay_out(const molecules::Molecule& molecule,
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
      group_tables_[candidates[begin].group] = {
          x.row, y.row, z.row, x.stride, y.stride, z.stride, candidates[end - 1].power_x, degree};
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

void SeparableGrid::fill_tables() {
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

std::string_view SeparableGrid::reason() const {
  return local_ ? "the grid is axis-aligned; each block takes only the columns that it needs"
                : "the grid is axis-aligned";
}

void SeparableGrid::list_terms(const AtomTerms& atom, double distance_squared, const Window& window,
                               Selection& selection) const {
  const int y = window.pencil % blocks_y_ * block_y;
  const int z = window.pencil / blocks_y_ * block_z;
  const double tiles_per_bohr = 1 / (axes_[0].step * tile_x);
  const double centre = (atom.position.x() - axes_[0].origin) * tiles_per_bohr;
  std::int32_t group = -1;
  for (std::int32_t t = atom.first; t < atom.last; ++t) {
    const Term& term = terms_[t];
    const double slack = term.radius_squared - distance_squared;
    if (slack <= 0) continue;
    const double half = std::sqrt(slack) * tiles_per_bohr;
    const int first = static_cast<int>(
        std::clamp(centre - half, static_cast<double>(window.first), static_cast<double>(window.last)));
    const int last =
        static_cast<int>(std::clamp(std::floor(centre + half), window.first - 1.0, window.last - 1.0));
    if (first > last) continue;
    const int degree = groups_[term.group].degree - term.power_x;
    if (group != term.group) {  // the lowest power needs the most monomials
      group = term.group;
      const GroupTables& tables = group_tables_[group];
      selection.monomial_jobs.push_back(
          {tables_[1].data() + tables.y_row + y, tables_[2].data() + tables.z_row + z,
           static_cast<std::size_t>(tables.y_stride), static_cast<std::size_t>(tables.z_stride), degree,
           static_cast<std::uint32_t>(selection.monomial_count)});
      selection.monomial_count += static_cast<std::size_t>(plane_polynomial_size(degree));
    }
    const separable::TileEntry entry{term.x_row, static_cast<std::int32_t>(selection.terms.size())};
    selection.terms.push_back({selection.monomial_jobs.back().first,
                               static_cast<std::uint32_t>(term.first_coefficient),
                               static_cast<std::uint32_t>(plane_polynomial_size(degree)), group});
    for (int tile = first; tile <= last; ++tile) selection.lists[tile - window.first].push_back(entry);
  }
}

void SeparableGrid::select(const Window& window, Selection& selection) const {
  const int y = window.pencil % blocks_y_ * block_y;
  const int z = window.pencil / blocks_y_ * block_z;
  selection.monomial_jobs.clear();
  selection.monomial_count = 0;
  selection.terms.clear();
  selection.lists.resize(static_cast<std::size_t>(window.last - window.first));
  for (auto& list : selection.lists) list.clear();
  for (const auto& atom : atoms_) {
    const double dy = distance_from_block(axes_[1], y, block_y, atom.position.y());
    const double dz = distance_from_block(axes_[2], z, block_z, atom.position.z());
    const double distance_squared = dy * dy + dz * dz;
    const double dx = distance_from_block(axes_[0], window.first * tile_x,
                                          (window.last - window.first) * tile_x, atom.position.x());
    if (dx * dx + distance_squared < atom.largest_radius_squared) {
      list_terms(atom, distance_squared, window, selection);
    }
  }
  if (selection.monomials.size() < selection.monomial_count * plane_points) {
    selection.monomials = AlignedFloats(selection.monomial_count * plane_points * 5 / 4);
  }
  if (selection.planes.size() < selection.terms.size() * plane_points) {
    selection.planes = AlignedFloats(selection.terms.size() * plane_points * 5 / 4);
  }
  selection.squares.resize(selection.lists.size() * tile_x * plane_points);
  selection.plane_operations = 0;
  for (const auto& term : selection.terms) selection.plane_operations += 2.0 * term.count * plane_points;
  selection.tiles.assign(selection.lists.begin(), selection.lists.end());
  separable::fill_plane_monomials(selection.monomial_jobs, selection.monomial_count,
                                  selection.monomials.data());
}

separable::PencilJob SeparableGrid::job_for(const Window& window, Selection& selection) const {
  separable::PencilJob job;
  job.terms = selection.terms;
  job.monomials = selection.monomials.data();
  job.monomial_count = selection.monomial_count;
  job.tiles = selection.tiles;
  job.x_table = tables_[0].data() + window.first * tile_x;
  job.planes = selection.planes.data();
  job.squares = selection.squares.data();
  job.y_stride = static_cast<std::size_t>(axes_[0].count);
  job.z_stride = job.y_stride * static_cast<std::size_t>(axes_[1].count);
  job.count_x = std::min(window.last * tile_x, axes_[0].count) - window.first * tile_x;
  job.count_y = std::min(block_y, axes_[1].count - window.pencil % blocks_y_ * block_y);
  job.count_z = std::min(block_z, axes_[2].count - window.pencil / blocks_y_ * block_z);
  return job;
}

/// Position in the grid.
std::size_t SeparableGrid::first_point(const Window& window) const {
  const auto row = static_cast<std::size_t>(window.pencil / blocks_y_ * block_z) * axes_[1].count +
                   window.pencil % blocks_y_ * block_y;
  return row * axes_[0].count + window.first * tile_x;
}

double SeparableGrid::operations(const Selection& selection, const separable::PencilJob& job) {
  const double plane = job.count_z * block_y;
  double multiply_adds = 0;
  for (const auto& each : job.tiles) multiply_adds += static_cast<double>(each.size()) * tile_x * plane;
  if (job.store != separable::Store::amplitude) {
    multiply_adds += 1.5 * static_cast<double>(job.tiles.size()) * tile_x * plane;
  }
  return 2 * multiply_adds + selection.plane_operations;
}

/// All columns of a pencil, some at a time: this bounds the delay of a cancellation.
void SeparableGrid::compute_columns(separable::PencilJob job, Scratch& scratch,
                                    const jobs::Progress& progress) const {
  constexpr std::size_t at_once = 32;
  const std::span<const separable::Column> columns = scratch.columns;
  scratch.operations += static_cast<double>(columns.size()) * operations(scratch.pencils[0], job);
  for (std::size_t first = 0; first < columns.size(); first += at_once) {
    progress.check();
    job.columns = columns.subspan(first, std::min(at_once, columns.size() - first));
    separable::compute_pencil(job);
    if (job.store == separable::Store::squares) job.store = separable::Store::add_squares;
  }
}

void SeparableGrid::amplitudes(int piece, const std::vector<float*>& fields, Scratch& scratch,
                               const jobs::Progress& progress) const {
  const separable::DenormalsAsZero denormals_as_zero;
  select(whole(piece), scratch.pencils[0]);
  scratch.columns.clear();
  for (Eigen::Index k = 0; k < coefficients_.cols(); ++k) {
    float* values = fields[static_cast<std::size_t>(k)] + first_point(whole(piece));
    scratch.columns.push_back({coefficients_.col(k).data(), values, 1});
  }
  compute_columns(job_for(whole(piece), scratch.pencils[0]), scratch, progress);
}

void SeparableGrid::density(int piece, float* field, Scratch& scratch, const jobs::Progress& progress) const {
  const separable::DenormalsAsZero denormals_as_zero;
  if (local_) {
    for (int tile = 0; tile < tiles_x_; tile += Block::tiles_x) {
      local_density({piece % pieces_y_ * 2, piece / pieces_y_ * 2, tile}, field, scratch, progress);
    }
    return;
  }
  select(whole(piece), scratch.pencils[0]);
  scratch.columns.clear();
  for (Eigen::Index k = 0; k < coefficients_.cols(); ++k) {
    scratch.columns.push_back({coefficients_.col(k).data(), field + first_point(whole(piece)), weights_[k]});
  }
  separable::PencilJob job = job_for(whole(piece), scratch.pencils[0]);
  job.store = separable::Store::squares;
  compute_columns(job, scratch, progress);
}

double SeparableGrid::expected_operations(int piece, Scratch& scratch) const {
  const int pencil = local_ ? piece / pieces_y_ * 2 * blocks_y_ + piece % pieces_y_ * 2 : piece;
  Selection& selection = scratch.pencils[0];
  select(whole(pencil), selection);
  const double one_column = operations(selection, job_for(whole(pencil), selection));
  // Half of about a hundred columns, in each of four pencils.
  return one_column * (local_ ? 4 * 60 : static_cast<double>(coefficients_.cols()));
}

}  // namespace isolume::orbitals
