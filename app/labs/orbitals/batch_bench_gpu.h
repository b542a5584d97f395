#pragma once

#include <functional>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/dispatch/dispatch.h"
#include "core/jobs/progress.h"
#include "core/molecules/wavefunction.h"
#include "core/orbitals/engine.h"

namespace isolume::batch {

/// What `bench orbitals` times on GPUs: of an engine, the kernels and devices wanted.
struct GpuBench {
  const orbitals::Engine& engine;
  const dispatch::DevicePool& pool;
  std::vector<std::string> kernels;
  std::vector<int> devices;  ///< positions in the pool; GPUs in use
  int points = 0;            ///< of the grid, as orbitals::benchmark_grid takes them
  bool emulated = false;     ///< the grid is then made coarse: the numbers say nothing in any case
};
/// `kernel`: "all" or a name; `devices`: "all" or positions, "1,2". Throws Error for names and numbers that
/// are none.
GpuBench plan_gpu_bench(const orbitals::Engine& engine, const dispatch::DevicePool& pool,
                        const std::string& kernel, const std::string& devices, int points);

/// Rows of two kinds, told apart by "table": "kernels", every kernel on every device (after Table 1.1 of
/// Stone, Hardy, Saam, Vandivort and Schulten, GPU Computing Gems, Emerald Edition, chapter 1), and
/// "devices", the engine on the first 1, 2, ... of them (after its Table 1.2).
/// Each is told as soon as it is there.
void time_gpus(const GpuBench& bench, const std::string& file, const molecules::Wavefunction& wavefunction,
               const std::function<void(nlohmann::ordered_json row)>& tell, const jobs::Progress& progress);

/// What stands above the rows of "kernels".
void print_gpu_header(std::ostream& out, const GpuBench& bench);
/// `one_thread_ms`: of one CPU thread for the same file and field, by "file field"; speeds are given as
/// multiples of it where it is known.
void print_gpu_row(std::ostream& out, const nlohmann::ordered_json& row,
                   const std::map<std::string, double>& one_thread_ms);
/// The rows of "devices", where there are several.
void print_several_gpus(std::ostream& out, const GpuBench& bench, const nlohmann::ordered_json& rows);

}  // namespace isolume::batch
