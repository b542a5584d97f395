#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <tbb/task_arena.h>

#include "app/batch/context.h"
#include "app/batch/options.h"
#include "core/anatomy/image.h"
#include "core/anatomy/mismatch.h"
#include "core/anatomy/parameters.h"

/// What the verbs of this lab share.
namespace isolume::labs::anatomy {

inline constexpr const char* image_file = "An image: NIfTI, DICOM folder, NRRD, MetaImage, TIFF, PNG or JPEG";
inline constexpr const char* output_file = "The image to write: .nii.gz, .nii, .nrrd or .mha";

/// Runs `work` on the requested number of threads; 0: all.
template <class Work>
void on_threads(int threads, const Work& work) {
  tbb::task_arena(threads > 0 ? threads : tbb::task_arena::automatic).execute(work);
}

/// Reads an image and reports its remarks.
isolume::anatomy::Image read(batch::Context& context, const std::string& file);
/// Writes an image and reports what its format cannot hold.
void write(batch::Context& context, const grid::Grid& grid, FieldValues values, const std::string& file);
isolume::anatomy::Spacing spacing_of(const grid::Grid& grid);
/// Warns of voxels where a map folds.
void report_folding(batch::Context& context, std::size_t folded,
                    isolume::anatomy::DeformationModel model = isolume::anatomy::DeformationModel::fluid);
/// Prints JSON with all remarks so far, or the line.
void print(batch::Context& context, bool is_json, nlohmann::ordered_json json, const std::string& line);
/// Checks the outputs that are requested, before anything is read.
void check_outputs(batch::Context& context, std::vector<std::string> outputs,
                   const std::vector<std::string>& inputs);

/// Adds a verb with --json and --threads, and returns it with its options, which have members `json` and `threads`.
template <class Options>
std::pair<CLI::App&, Options&> add_verb_with(CLI::App& parent, batch::Context& context, const char* name,
                                             const char* help, void (*act)(batch::Context&, const Options&)) {
  auto options = std::make_shared<Options>();
  auto& verb = batch::add_verb(parent, name, help);
  batch::add_flag(verb, "json", options->json, "Print JSON");
  batch::add_option(
      verb, context, &options->threads,
      commands::integer("threads", "CPU threads; 0 uses all of them. Results are the same").range(0, 4096));
  batch::on_call(verb, context, [options, act, &context] { act(context, *options); });
  return {verb, *options};
}

}  // namespace isolume::labs::anatomy
