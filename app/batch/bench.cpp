#include "app/batch/context.h"

namespace isolume::batch {

void add_bench(CLI::App& program, Context& context) {
  auto* command = program.add_subcommand("bench", "Measure how fast this machine computes.");
  command->require_subcommand(1);
  for (const BatchLab& lab : context.labs) {
    if (lab.add_bench) lab.add_bench(*command, context);
  }
  add_bench_gpu_parts(*command, context);
}

}  // namespace isolume::batch
