#pragma once

#include <exception>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/batch/batch_lab.h"
#include "app/batch/options.h"
#include "core/base/error.h"
#include "core/base/remarks.h"
#include "core/commands/registry.h"
#include "core/commands/script.h"
#include "core/jobs/progress.h"
#include "core/parameters/schema.h"

namespace isolume::batch {

/// State shared by the subcommands. Each `add_...` describes its part of the command line, and sets `action`
/// if it was called.
struct Context {
  const std::vector<BatchLab>& labs;
  std::ostream& out;
  std::ostream& err;
  jobs::Progress progress;
  std::function<void()> action = nullptr;
  /// Type, unit and range of options, which CLI11 does not store.
  std::map<const CLI::Option*, commands::Argument> described = {};
  commands::RunningScripts scripts = {};  ///< shared by copies
  /// Parameters whose flags a verb has, in the order in which they were added.
  std::map<const CLI::App*, std::vector<parameters::ParameterSet*>> parameter_sets = {};
  std::vector<std::string> outputs = {};           ///< of the verb, as check_outputs() was given them
  std::vector<std::filesystem::path> inputs = {};  ///< of the verb, as far as they are known
  Remarks remarks = {};                            ///< all that the verb has reported, for its JSON
  /// Starts the same command in isolume-batch-full and does not return; null in that program.
  std::function<void()> full_program = nullptr;
};

/// To be called by what needs VTK, Qt, FFmpeg, HDF5 or MPI, before it reads or writes anything. A lean program, which
/// starts without these libraries, continues as isolume-batch-full. Throws Error if that program is missing.
void need_full_program(Context& context);

/// Records the argument of an option; the help text stays with the option.
void describe(Context& context, const CLI::Option* option, commands::Argument argument);

/// The whole command line; `context` must outlive it.
std::unique_ptr<CLI::App> make_command_line(Context& context);
/// The command line is invalid.
class UsageError : public Error {
 public:
  using Error::Error;
};
/// Work was cancelled and a part is kept; what() names its file and how to continue.
class CancelledInPart : public Cancelled {
 public:
  explicit CancelledInPart(std::string kept) : kept_(std::move(kept)) {}
  const char* what() const noexcept override { return kept_.c_str(); }

 private:
  std::string kept_;
};
/// Ends one process of several when another one reports the reason: nothing is printed.
struct SaidElsewhere : std::exception {
  explicit SaidElsewhere(int exit_code) : code(exit_code) {}
  const char* what() const noexcept override { return "another process says why"; }
  int code;
};
/// Runs the arguments after the program's name. Throws UsageError, or what the subcommand throws.
void execute(std::vector<std::string> arguments, Context& context);

/// A subcommand with an action, and the names that lead to it: "orbitals render".
struct Verb {
  std::string words;
  const CLI::App* app;
};
std::vector<Verb> verbs_of(const CLI::App& program);
/// The verbs that can be called without the name of their lab: "render" for "orbitals render".
std::vector<std::pair<std::string, std::string>> short_forms(const std::vector<BatchLab>& labs);
/// "orbitals, livewire"
std::string lab_names(const std::vector<BatchLab>& labs);
/// All commands: those of a window, which cannot run here, and the verbs ("orbitals.render").
std::unique_ptr<commands::Registry> make_registry(const CLI::App& program, Context& context);

/// Adds `bench gpu`: times of launches, waits, copies, memory, multiply-adds and surfaces on each GPU.
void add_bench_gpu_parts(CLI::App& bench, Context& context);
void add_devices(CLI::App& program, Context& context);
void add_script(CLI::App& program, Context& context);
void add_commands(CLI::App& program, Context& context);
/// Hidden: prints the reference pages of the manual, so that they always agree with the program.
void add_manual(CLI::App& program, Context& context);
/// Hidden: prints the completion scripts of shells.
void add_completion(CLI::App& program, Context& context);
void add_mime_types(CLI::App& program, Context& context);

/// To be called before anything is read or computed. Throws Error if an output cannot be written or would
/// replace an input, and UsageError if two outputs are the same file, also by a link or under the name that
/// one of them has until it is finished.
void check_outputs(Context& context, std::span<const std::string> outputs,
                   std::span<const std::string> inputs);
/// To be called for each file that is opened and not named on the command line, before or after
/// check_outputs(). Throws Error if an output would replace it.
void add_input(Context& context, const std::filesystem::path& input);
void add_inputs(Context& context, std::span<const std::filesystem::path> inputs);

/// One line on `err`: "isolume-batch: TEXT", control characters replaced.
void complain(std::ostream& err, std::string_view text);
/// Prints remarks about a file, one per line: "isolume-batch: FILE: TEXT", and adds them to
/// `context.remarks`, which verbs with --json print as "remarks".
void report(Context& context, std::string_view file, const Remarks& remarks);
/// Prints remarks about no file in particular.
void report(Context& context, const Remarks& remarks);

/// Prints JSON indented by two spaces; invalid UTF-8 from damaged files is replaced.
void print(std::ostream& out, const nlohmann::ordered_json& json);

}  // namespace isolume::batch
