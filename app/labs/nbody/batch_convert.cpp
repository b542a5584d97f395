#include <memory>
#include <ostream>
#include <vector>

#include <fmt/format.h>

#include "app/batch/context.h"
#include "app/labs/nbody/batch_source.h"
#include "app/labs/nbody/batch_verbs.h"
#include "core/base/counted.h"
#include "core/nbody/files/bodies_file.h"

namespace isolume::batch {
namespace {

struct ConvertArguments {
  std::string output;
  const CLI::App* command = nullptr;
  Source source;
};

void convert(Context& context, const ConvertArguments& options) {
  if (nbody::is_written_as_hdf5(options.output)) need_full_program(context);
  check_outputs(context, std::vector{options.output}, options.source.files());
  const nbody::InitialConditions bodies =
      options.source.bodies(*options.command, context.progress.part(0, 0.5));
  report(context, options.output, nbody::write_bodies(bodies, options.output, context.progress.part(0.5, 1)));
  context.out << fmt::format("{}: {} at time {:.6g}\n", options.output,
                             counted(bodies.bodies.size(), "body", "bodies"), bodies.time);
}

}  // namespace

void add_nbody_convert(CLI::App& lab, Context& context) {
  auto options = std::make_shared<ConvertArguments>();
  auto& command = add_verb(lab, "convert", "Write the bodies of a file or a scene in another format.");
  options->command = &command;
  options->source.add(command, context);
  add_option(command, context, &options->output,
             commands::path("output",
                            "File to write; its suffix sets the format: .csv, .xyz, .tipsy, .hdf5 (GADGET)"));
  on_call(command, context, [options, &context] { convert(context, *options); });
}

}  // namespace isolume::batch
