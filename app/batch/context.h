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

namespace isolume::batch {

/// What the subcommands share. Each `add_...` describes its part of the command line, and sets `action` when
/// it is the one that was called.
struct Context {
  const std::vector<BatchLab>& labs;
  std::ostream& out;
  std::ostream& err;
  jobs::Progress progress;
  std::function<void()> action = nullptr;
  /// What options take, where CLI11 does not know it: type, unit, range.
  std::map<const CLI::Option*, commands::Argument> described = {};
  commands::RunningScripts scripts = {};  ///< copies know of each other's
};

/// Notes what an option takes; its help is the option's own.
void describe(Context& context, const CLI::Option* option, commands::Argument argument);

/// The whole command line; `context` outlives it.
std::unique_ptr<CLI::App> make_command_line(Context& context);
/// A command line that makes no sense.
class UsageError : public Error {
 public:
  using Error::Error;
};
/// Work that was cancelled and of which a part is kept: what() says where it is, and how to go on.
class CancelledInPart : public Cancelled {
 public:
  explicit CancelledInPart(std::string kept) : kept_(std::move(kept)) {}
  const char* what() const noexcept override { return kept_.c_str(); }

 private:
  std::string kept_;
};
/// The end of one process of several, of which another one says why: nothing is printed.
struct SaidElsewhere : std::exception {
  explicit SaidElsewhere(int exit_code) : code(exit_code) {}
  const char* what() const noexcept override { return "another process says why"; }
  int code;
};
/// Does what the words after the program's name say. Throws UsageError, or what the subcommand throws.
void execute(std::vector<std::string> arguments, Context& context);

/// A subcommand that does something, with the names that lead to it: "orbitals render".
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

/// `bench gpu`, below `bench`: what launches, waiting, copies, memory, multiply-adds and surfaces take on each
/// GPU.
void add_bench_gpu_parts(CLI::App& bench, Context& context);
void add_devices(CLI::App& program, Context& context);
void add_script(CLI::App& program, Context& context);
void add_commands(CLI::App& program, Context& context);
/// Hidden: prints the manual's reference pages, so that they cannot say anything else than the program does.
void add_manual(CLI::App& program, Context& context);
/// Hidden: prints what shells complete.
void add_completion(CLI::App& program, Context& context);

/// Before anything is read or computed: throws Error where one of the outputs cannot be written, or would
/// replace one of the inputs; UsageError where two of them are one.
void check_outputs(std::span<const std::string> outputs, std::span<const std::string> inputs);
/// Throws Error where both are one file.
void require_another_file(const std::string& output, const std::filesystem::path& input);

/// One line on `err`: "isolume-batch: TEXT", control characters replaced.
void complain(std::ostream& err, std::string_view text);
/// What a reader said of a file, a line each: "isolume-batch: FILE: TEXT". Verbs with --json also print json_of(remarks)
/// as "remarks".
void report(std::ostream& err, std::string_view file, const Remarks& remarks);

/// JSON with two spaces, odd bytes of hostile files replaced.
void print(std::ostream& out, const nlohmann::ordered_json& json);

}  // namespace isolume::batch
