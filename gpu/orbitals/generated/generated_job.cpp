#include <array>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/logging.h"
#include "gpu/orbitals/centre_place.h"
#include "gpu/orbitals/generated/generated_source.h"
#include "gpu/orbitals/generated/precompile.h"
#include "gpu/orbitals/kernel_job.h"
#include "gpu/orbitals/monomial_coefficients.h"
#include "gpu/runtime/compiler/runtime_compiler.h"
#include "gpu/runtime/memory/buffer.h"

namespace isolume::gpu {
namespace {

using AtomsKernel = void(const float4*, const int*, const float4*, int, const float*, int, const float4*, int,
                         int, int, float*, unsigned long long);

float4 word(const Eigen::Vector3f& values) {
  return {values.x(), values.y(), values.z(), 0};
}

/// The arguments of the kernel, in host memory.
struct GeneratedNumbers {
  std::vector<float4> atoms;
  std::vector<int> atom_counts;
  std::vector<float4> coefficients;
  int pass_count = 0;
  std::vector<float> weights;
  int column_count = 0;
  std::vector<float4> places;
  std::array<int, 3> dimensions{};  ///< scattered: points x 1 x 1

  std::size_t bytes() const {
    const auto size = [](const auto& values) { return std::span(values).size_bytes(); };
    return size(atoms) + size(atom_counts) + size(coefficients) + size(weights) + size(places);
  }
};

GeneratedShape shape_of(const FieldProblem& problem) {
  GeneratedShape shape;
  shape.places = problem.grid == nullptr        ? PlaceKind::scattered
                 : problem.grid->axis_aligned() ? PlaceKind::aligned_grid
                                                : PlaceKind::grid;
  const Eigen::Index columns = problem.coefficients.cols();
  shape.columns = columns <= 1 ? 1 : columns == 2 ? 2 : 4;
  shape.quadratic = problem.weights != nullptr;
  return shape;
}

/// First row of each atom's shells among the rows of `monomial_coefficients`, without shells that have no
/// primitives.
std::vector<std::vector<Eigen::Index>> rows_of_atoms(const FieldProblem& problem,
                                                     const MonomialCoefficients& monomials) {
  std::vector<std::vector<Eigen::Index>> rows(problem.molecule.atoms.size());
  for (std::size_t s = 0; s < problem.basis.shells.size(); ++s) {
    const auto& shell = problem.basis.shells[s];
    if (!shell.exponents.empty()) rows[shell.atom].push_back(monomials.first_row[s]);
  }
  return rows;
}

/// Appends one atom's coefficients for one pass.
void append_coefficients(const AtomType& type, std::span<const Eigen::Index> first_rows,
                         const Eigen::MatrixXd& rows, int first_column, int columns,
                         std::vector<float4>& words) {
  std::vector<float> values;
  for (std::size_t s = 0; s < type.shells.size(); ++s) {
    for (int m = 0; m < monomial_count(type.shells[s].angular_momentum); ++m) {
      for (int k = first_column; k < first_column + columns; ++k) {
        values.push_back(k < rows.cols() ? static_cast<float>(rows(first_rows[s] + m, k)) : 0.0F);
      }
    }
  }
  values.resize(generated_words(type, columns) * 4);
  for (std::size_t at = 0; at < values.size(); at += 4) {
    words.push_back({values[at], values[at + 1], values[at + 2], values[at + 3]});
  }
}

std::vector<float4> places_of(const FieldProblem& problem) {
  std::vector<float4> places;
  if (problem.grid != nullptr) {
    for (int axis = 0; axis < 3; ++axis) {
      places.push_back(word(problem.grid->step.col(axis).cast<float>()));
    }
    return places;
  }
  for (const auto& point : problem.points_bohr->colwise()) {
    const Eigen::Vector3f high = point.cast<float>();
    places.push_back(word(high));
    places.push_back(word((point - high.cast<double>()).cast<float>()));
  }
  return places;
}

/// The kernel counts the points of a plane with an int.
void require_countable_planes(const FieldProblem& problem) {
  if (problem.grid == nullptr) return;
  constexpr std::size_t most = std::numeric_limits<int>::max();
  const auto& [nx, ny, nz] = problem.grid->dimensions;
  const std::size_t points = static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny);
  if (points > most) {
    throw ResourceError("A plane of this grid", points * sizeof(float), most * sizeof(float),
                        "Use a coarser spacing or a smaller box.");
  }
}

GeneratedNumbers numbers_for(const FieldProblem& problem, const std::vector<AtomType>& types,
                             const GeneratedShape& shape) {
  const auto monomials = monomial_coefficients(problem.basis, problem.coefficients);
  const auto rows = rows_of_atoms(problem, monomials);
  GeneratedNumbers numbers;
  numbers.column_count = static_cast<int>(problem.coefficients.cols());
  numbers.pass_count = (numbers.column_count + shape.columns - 1) / shape.columns;
  for (const auto& type : types) {
    numbers.atom_counts.push_back(static_cast<int>(type.atoms.size()));
    for (const int atom : type.atoms) {
      const auto place = place_centre(problem.molecule.atoms[atom].position_bohr, problem.grid);
      numbers.atoms.push_back(word(place.n));
      numbers.atoms.push_back(word(place.r));
    }
  }
  for (int pass = 0; pass < numbers.pass_count; ++pass) {
    for (const auto& type : types) {
      for (const int atom : type.atoms) {
        append_coefficients(type, rows[atom], monomials.rows, pass * shape.columns, shape.columns,
                            numbers.coefficients);
      }
    }
  }
  if (problem.weights != nullptr) {
    for (const double weight : *problem.weights) numbers.weights.push_back(static_cast<float>(weight));
    numbers.weights.resize(static_cast<std::size_t>(numbers.pass_count) * shape.columns);
  }
  numbers.places = places_of(problem);
  require_countable_planes(problem);
  numbers.dimensions = problem.grid != nullptr
                           ? problem.grid->dimensions
                           : std::array{static_cast<int>(problem.points_bohr->cols()), 1, 1};
  return numbers;
}

class GeneratedDeviceJob final : public DeviceJob {
 public:
  GeneratedDeviceJob(std::shared_ptr<const GeneratedNumbers> numbers, const GeneratedShape& shape,
                     const KernelModule& module, const Stream& stream)
      : numbers_(std::move(numbers)),
        shape_(shape),
        kernel_(module.kernel<AtomsKernel>("sum_atoms")),
        atoms_(device_copy(numbers_->atoms, stream)),
        atom_counts_(device_copy(numbers_->atom_counts, stream)),
        coefficients_(device_copy(numbers_->coefficients, stream)),
        weights_(device_copy(numbers_->weights, stream)),
        places_(device_copy(numbers_->places, stream)) {}

  void launch(Slab slab, float* out, std::size_t field_stride, const Stream& stream) override {
    if (numbers_->column_count == 0 && !shape_.quadratic) return;
    const auto& [nx, ny, nz] = numbers_->dimensions;
    if (shape_.places == PlaceKind::scattered) {
      launch_planes(slab.count, slab.first, 1, out, field_stride, stream);
      return;
    }
    constexpr int most_planes = 65'535;  // limit of a grid's second dimension
    const int plane = nx * ny;
    for (int done = 0; done < slab.count; done += most_planes) {
      launch_planes(plane, slab.first + done, std::min(most_planes, slab.count - done),
                    out + static_cast<std::size_t>(done) * plane, field_stride, stream);
    }
  }

 private:
  void launch_planes(int plane_size, int first, int planes, float* out, std::size_t field_stride,
                     const Stream& stream) const {
    if (plane_size <= 0) return;
    const auto blocks = static_cast<unsigned>((plane_size - 1) / generated_block_size + 1);
    gpu::launch(kernel_, dim3(blocks, static_cast<unsigned>(planes)), dim3(generated_block_size), 0, stream,
                atoms_.device_data(), atom_counts_.device_data(), coefficients_.device_data(),
                numbers_->pass_count, weights_.device_data(), numbers_->column_count, places_.device_data(),
                numbers_->dimensions[0], plane_size, first, out,
                static_cast<unsigned long long>(field_stride));
  }

  std::shared_ptr<const GeneratedNumbers> numbers_;
  GeneratedShape shape_;
  CompiledKernel<AtomsKernel> kernel_;
  DeviceBuffer<float4> atoms_;
  DeviceBuffer<int> atom_counts_;
  DeviceBuffer<float4> coefficients_;
  DeviceBuffer<float> weights_;
  DeviceBuffer<float4> places_;
};

KernelSource source_for(const std::vector<AtomType>& types, const GeneratedShape& shape) {
  return {"orbitals.cu", generated_source(types, shape), {"--ftz=true"}};
}

/// A precompiled kernel, if this one is not available.
std::unique_ptr<KernelJob> make_substitute(const FieldProblem& problem) {
  try {
    return make_pointwise_job(KernelKind::constant, problem);
  } catch (const ResourceError&) {
    throw;
  } catch (const Error&) {  // too many coefficients for constant memory
    return make_pointwise_job(KernelKind::cached, problem);
  }
}

class GeneratedJob final : public KernelJob {
 public:
  explicit GeneratedJob(const FieldProblem& problem) : problem_(problem), shape_(shape_of(problem)) {
    check_problem(problem);
    types_ = find_atom_types(problem.molecule, problem.basis);
    try {
      source_ = source_for(types_, shape_);
    } catch (const Error& error) {
      substitute(error.what());
      return;
    }
    numbers_ = std::make_shared<const GeneratedNumbers>(numbers_for(problem, types_, shape_));
  }

  KernelKind kind() const override {
    const auto instead = substituted();
    return instead ? instead->kind() : KernelKind::generated;
  }
  std::string remark() const override {
    const std::lock_guard lock(mutex_);
    return remark_;
  }
  std::size_t device_bytes() const override {
    const auto instead = substituted();
    return instead ? instead->device_bytes() : numbers_->bytes();
  }
  double flop(Slab slab) const override {
    if (const auto instead = substituted()) return instead->flop(slab);
    double point = shape_.quadratic ? 3.0 * numbers_->column_count : 0;
    for (const auto& type : types_) {
      point += numbers_->pass_count * static_cast<double>(type.atoms.size()) * generated_flop(type, shape_);
    }
    const auto& [nx, ny, nz] = numbers_->dimensions;
    const double points = shape_.places == PlaceKind::scattered ? slab.count : 1.0 * nx * ny * slab.count;
    return point * points;
  }
  std::unique_ptr<DeviceJob> prepare(const Stream& stream) const override {
    if (const auto instead = substituted()) return instead->prepare(stream);
    std::optional<KernelModule> module;
    try {
      module.emplace(stream.device(), compile(source_, target_of(stream.device())));
    } catch (const Error& error) {
      if (!substitute(error.what())) throw;
    }
    if (const auto instead = decided()) return instead->prepare(stream);
    return std::make_unique<GeneratedDeviceJob>(numbers_, shape_, *module, stream);
  }

 private:
  std::shared_ptr<const KernelJob> substituted() const {
    const std::lock_guard lock(mutex_);
    return substitute_;
  }
  /// The choice is final after this call: the substitute, or none.
  std::shared_ptr<const KernelJob> decided() const {
    const std::lock_guard lock(mutex_);
    if (!substitute_) generated_is_used_ = true;
    return substitute_;
  }
  /// False if a device already computes with the generated kernel, since two kernels do not give the same
  /// bits.
  bool substitute(std::string_view reason) const {
    const std::lock_guard lock(mutex_);
    if (generated_is_used_) return false;
    if (substitute_) return true;
    substitute_ = make_substitute(problem_);
    if (reason.ends_with('.')) reason.remove_suffix(1);
    remark_ = fmt::format("it takes the place of the generated one: {}", reason);
    log::warning("The {} kernel computes: {}.", to_string(substitute_->kind()), remark_);
    return true;
  }

  FieldProblem problem_;
  GeneratedShape shape_;
  std::vector<AtomType> types_;
  KernelSource source_;
  std::shared_ptr<const GeneratedNumbers> numbers_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const KernelJob> substitute_;  ///< set once compiling has failed
  mutable bool generated_is_used_ = false;
  mutable std::string remark_;
};

}  // namespace

void precompile(const FieldProblem& problem, int compute_major, int compute_minor,
                const std::filesystem::path& folder) {
  check_problem(problem);
  compile(source_for(find_atom_types(problem.molecule, problem.basis), shape_of(problem)),
          {compute_major, compute_minor}, KernelCache(folder));
}

std::unique_ptr<KernelJob> make_generated_job(const FieldProblem& problem) {
  return std::make_unique<GeneratedJob>(problem);
}

}  // namespace isolume::gpu
