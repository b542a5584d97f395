#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/molecules/line_reader.h"

namespace isolume::molecules {

/// An array of a formatted checkpoint.
template <class T>
struct FchkNumbers {
  std::vector<T> values;
  std::size_t line = 0;
};

/// Content of a file with one or several steps (a trajectory, several jobs). A step begins where a record is
/// repeated.
class FchkRecords {
 public:
  std::string title;
  std::string method;  ///< "RHF", "UB3LYP"; Q-Chem writes R or U
  std::vector<std::string>
      coefficient_names;  ///< arrays of reals that look like orbital coefficients, in file order
  std::vector<std::string> geometry_names;   ///< records of an optimisation's geometries, in file order
  std::vector<std::string> other_densities;  ///< as named in the file, of methods beyond the SCF

  void add(const std::string& name, double scalar) { scalars_[name].push_back({step_, scalar}); }
  void add(const std::string& name, FchkNumbers<long> numbers) { put(integers_[name], std::move(numbers)); }
  void add(const std::string& name, FchkNumbers<double> numbers) { put(reals_[name], std::move(numbers)); }
  /// Restricts all following calls to this step: its own records, or those of previous steps where it has none.
  void choose(std::size_t step) { chosen_ = step; }

  const FchkNumbers<long>* integers_named(std::string_view name) const { return in_chosen(integers_, name); }
  const FchkNumbers<double>* reals_named(std::string_view name) const { return in_chosen(reals_, name); }
  std::optional<double> scalar(std::string_view name) const {
    const double* found = in_chosen(scalars_, name);
    return found == nullptr ? std::nullopt : std::optional(*found);
  }
  /// Only of the chosen step itself.
  const FchkNumbers<double>* own_reals(std::string_view name) const {
    if (const auto found = reals_.find(name); found != reals_.end()) {
      for (const auto& one : found->second) {
        if (one.step == chosen_) return &one.value;
      }
    }
    return nullptr;
  }
  /// The last step with a record of reals.
  std::optional<std::size_t> last_step(std::string_view name) const {
    const auto found = reals_.find(name);
    return found == reals_.end() ? std::nullopt : std::optional(found->second.back().step);
  }
  /// The records of all steps.
  std::vector<const FchkNumbers<double>*> all_reals(std::string_view name) const {
    std::vector<const FchkNumbers<double>*> all;
    if (const auto found = reals_.find(name); found != reals_.end()) {
      for (const auto& one : found->second) all.push_back(&one.value);
    }
    return all;
  }
  /// Discards an array of previous steps that is no longer needed.
  void forget_earlier(const std::string& name) {
    if (auto& all = reals_[name]; all.size() > 1) all.erase(all.begin(), all.end() - 1);
  }

 private:
  template <class T>
  struct OfStep {
    std::size_t step;
    T value;
  };
  template <class T>
  using ByName = std::map<std::string, std::vector<OfStep<T>>, std::less<>>;

  template <class T>
  void put(std::vector<OfStep<T>>& all, T value) {
    if (!all.empty() && all.back().step == step_) ++step_;
    all.push_back({step_, std::move(value)});
  }
  template <class T>
  const T* in_chosen(const ByName<T>& all, std::string_view name) const {
    const T* value = nullptr;
    if (const auto found = all.find(name); found != all.end()) {
      for (const auto& one : found->second) {
        if (one.step <= chosen_ || value == nullptr) value = &one.value;
      }
    }
    return value;
  }

  std::size_t step_ = 0;
  std::size_t chosen_ = 0;
  ByName<double> scalars_;
  ByName<FchkNumbers<long>> integers_;
  ByName<FchkNumbers<double>> reals_;
};

/// All records needed for orbitals and geometries. Throws InputError if the size of an array differs from its header.
FchkRecords read_fchk_records(LineReader& reader);

}  // namespace isolume::molecules
