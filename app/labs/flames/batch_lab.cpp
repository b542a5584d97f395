#include "app/batch/batch_lab.h"

#include <array>
#include <ostream>

#include "app/batch/context.h"
#include "app/batch/parameter_flags.h"
#include "app/labs/flames/batch_render.h"
#include "app/labs/flames/declared_commands.h"
#include "core/flames/describe.h"
#include "core/flames/evolve.h"
#include "core/flames/flame_file.h"
#include "gpu/flames/engines.h"
#include "gpu/machine.h"

namespace isolume::labs::flames {
namespace {

using namespace isolume::flames;
using commands::number;

struct Options {
  std::string file, other, output;
  double strength = 0.3, at = 0.5;
  std::int64_t seed = 1, clouds = 20;
  bool json = false;
  dispatch::ComputeOptions compute;
  parameters::StructParameters<dispatch::ComputeOptions> set{dispatch::compute_schema(), compute};
};

Flame read_first(batch::Context& context, const std::string& file) {
  auto read = read_flames(file);
  batch::report(context, file, read.remarks);
  return read.flames.front();
}

void describe(batch::Context& context, const Options& options) {
  auto read = read_flames(options.file);
  batch::report(context, options.file, read.remarks);
  auto all = nlohmann::ordered_json::array();
  for (const auto& flame : read.flames)
    options.json ? all.push_back(json_of(flame)) : void(context.out << text_of(flame));
  if (options.json)
    batch::print(context.out, {{"flames", all}, {"remarks", isolume::json_of(context.remarks)}});
}

void bench(batch::Context& context, const Options& options) {
  const auto engines = gpu::make_flame_engines(gpu::make_device_pool());
  std::vector<const Engine*> timed;
  for (const auto& engine : engines.engines()) timed.push_back(engine.get());
  const auto json =
      benchmark(timed, options.file.empty() ? random_flame(4) : read_first(context, options.file),
                options.clouds, options.compute, context.progress);
  if (options.json) return batch::print(context.out, json);
  for (const auto& line : lines_of(json)) context.out << line << '\n';
}

using Act = void (*)(batch::Context&, const Options&);
using Add = std::function<void(CLI::App&, Options&)>;

void add(CLI::App& lab, batch::Context& context, const std::string& name, const std::string& help,
         const Add& add_own, Act act) {
  auto options = std::make_shared<Options>();
  auto& verb = batch::add_verb(lab, name, help);
  add_own(verb, *options);
  batch::add_flag(verb, "json", options->json, "Print JSON");
  batch::on_call(verb, context, [options, act, &context] { act(context, *options); });
}

/// Writes the flame that `make` makes.
template <class Make>
void write(batch::Context& context, const Options& options, Make make) {
  const std::array inputs{options.file, options.other};
  batch::check_outputs(context, std::array{options.output}, inputs);
  const Flame flame = make();
  write_flames({&flame, 1}, options.output);
  if (!options.json) return void(context.out << options.output << ": " << text_of(flame));
  batch::print(context.out, {{"output", options.output},
                             {"flame", json_of(flame)},
                             {"remarks", isolume::json_of(context.remarks)}});
}

void add_verbs(CLI::App& lab, batch::Context& context) {
  const auto file = [&](CLI::App& verb, std::string& to, const char* name) {
    batch::add_option(verb, context, &to, commands::path(name, "A .flame file; its first flame is read"));
  };
  const auto output = [&](CLI::App& verb, Options& options) {
    batch::add_option(verb, context, &options.output, commands::path("output", "The .flame file to write"));
  };
  const auto seed = [&](CLI::App& verb, Options& options) {
    batch::add_option(verb, context, &options.seed,
                      commands::integer("seed", "Seed of the random numbers").range(0, 1e9));
  };
  batch::add_flames_render(lab, context);
  add(
      lab, context, "describe", "Functions, variations and view of the flames of a file.",
      [&](CLI::App& verb, Options& options) { file(verb, options.file, "FILE"); }, describe);
  add(
      lab, context, "randomise", "Write a random flame.",
      [&](CLI::App& verb, Options& options) {
        seed(verb, options);
        output(verb, options);
      },
      [](batch::Context& to, const Options& options) {
        write(to, options, [&] { return random_flame(static_cast<std::uint64_t>(options.seed)); });
      });
  add(
      lab, context, "mutate", "Change a flame at random.",
      [&](CLI::App& verb, Options& options) {
        file(verb, options.file, "FILE");
        batch::add_option(verb, context, &options.strength,
                          number("strength", "Size of the changes").range(0, 1));
        seed(verb, options);
        output(verb, options);
      },
      [](batch::Context& to, const Options& options) {
        write(to, options, [&] {
          return mutated(read_first(to, options.file), options.strength,
                         static_cast<std::uint64_t>(options.seed));
        });
      });
  add(
      lab, context, "interpolate", "Write the flame between two others.",
      [&](CLI::App& verb, Options& options) {
        file(verb, options.file, "FROM");
        file(verb, options.other, "TO");
        batch::add_option(verb, context, &options.at, number("at", "Part of the way").range(0, 1));
        output(verb, options);
      },
      [](batch::Context& to, const Options& options) {
        write(to, options, [&] {
          return interpolated(read_first(to, options.file), read_first(to, options.other), options.at);
        });
      });
}

void add_bench(CLI::App& bench_command, batch::Context& context) {
  add(
      bench_command, context, "flames", "Points per second of the engines and of a serial chaos game.",
      [&](CLI::App& verb, Options& options) {
        batch::add_option(verb, context, &options.file,
                          commands::path("FILE", "A .flame file; without one, a random flame").optional());
        batch::add_option(verb, context, &options.clouds,
                          commands::integer("clouds", "Clouds of 245,760 points each").range(8, 1e6));
        batch::add_option(verb, context, &options.compute.threads,
                          commands::integer("threads", "CPU threads; 0 uses all of them").range(0, 4096));
      },
      bench);
}

}  // namespace

/// `isolume-batch flames`.
batch::BatchLab batch_lab() {
  return {.name = "flames",
          .help = "Fractal flames.",
          .commands = declared_commands(),
          .formats = {file_formats()},
          .add_verbs = add_verbs,
          .add_bench = add_bench};
}

}  // namespace isolume::labs::flames
