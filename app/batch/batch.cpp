#include "app/batch/batch.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/batch/context.h"
#include "app/batch/session_document.h"
#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/error_text.h"
#include "core/base/launch.h"
#include "core/base/logging.h"
#include "core/base/partial_file.h"
#include "core/base/version.h"

namespace isolume::batch {
namespace {

/// One line, " 45 % overlap matrix", that is rewritten in place and erased at the end.
class LiveLine {
 public:
  explicit LiveLine(std::ostream& err) : err_(err) {}
  ~LiveLine() {
    if (drawn_) err_ << "\r\033[K" << std::flush;
  }
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;

  void show(double fraction, std::string_view stage) {
    const std::scoped_lock lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    drawn_ = true;
    err_ << fmt::format("\r\033[K{:4.0f} % {}", 100 * fraction, stage) << std::flush;
  }

 private:
  std::ostream& err_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  bool drawn_ = false;
};

/// The verb that the last parse of `program` selected: "orbitals render".
std::string called_words(const CLI::App& program) {
  std::string words;
  for (auto below = program.get_subcommands(); !below.empty(); below = below.front()->get_subcommands())
    words += below.front()->get_name() + " ";
  return words;
}

bool has_verb(const CLI::App& lab, const std::string& name) {
  return !lab.get_subcommands([&](const CLI::App* verb) { return verb->get_name() == name; }).empty();
}

/// Expands short forms by the name of their lab. If a lab's name is itself a short form, the next word is a
/// verb or the first argument of the verb that it abbreviates: "livewire IMAGE". A session determines its lab
/// itself.
std::vector<std::string> in_full(std::vector<std::string> arguments, const std::vector<BatchLab>& labs,
                                 const CLI::App& program) {
  if (arguments.empty()) return arguments;
  for (const auto& [form, words] : short_forms(labs)) {
    if (arguments.front() != form) continue;
    const std::vector<std::string> full = commands::split(words);
    if (form == full.front() && (arguments.size() < 2 || arguments[1] == "--help" || arguments[1] == "-h" ||
                                 has_verb(*program.get_subcommand(form), arguments[1]))) {
      return arguments;
    }
    const auto session = std::ranges::find_if(arguments, [](const auto& each) { return is_session(each); });
    std::vector<std::string> called = full;
    if (session != arguments.end()) called.front() = lab_shown_by(*session);
    called.insert(called.end(), arguments.begin() + 1, arguments.end());
    return called;
  }
  return arguments;
}

void add_verbs(const CLI::App& app, const std::string& before, std::vector<Verb>& verbs) {
  for (const CLI::App* each :
       app.get_subcommands([](const CLI::App* below) { return !below->get_group().empty(); })) {
    const std::string words = before + each->get_name();
    if (each->get_subcommands([](const CLI::App*) { return true; }).empty()) verbs.push_back({words, each});
    add_verbs(*each, words + " ", verbs);
  }
}

}  // namespace

std::vector<std::pair<std::string, std::string>> short_forms(const std::vector<BatchLab>& labs) {
  std::vector<std::pair<std::string, std::string>> forms;
  for (const BatchLab& lab : labs) {
    for (const auto& [form, verb] : lab.short_forms)
      forms.emplace_back(form, lab.description.name + " " + verb);
  }
  return forms;
}

std::string lab_names(const std::vector<BatchLab>& labs) {
  std::string names;
  for (const BatchLab& lab : labs) names += (names.empty() ? "" : ", ") + lab.description.name;
  return names;
}

std::vector<Verb> verbs_of(const CLI::App& program) {
  std::vector<Verb> verbs;
  add_verbs(program, "", verbs);
  return verbs;
}

void describe(Context& context, const CLI::Option* option, commands::Argument argument) {
  context.described.insert_or_assign(option, std::move(argument));
}

std::unique_ptr<CLI::App> make_command_line(Context& context) {
  auto program = std::make_unique<CLI::App>(
      "Isolume without a window: properties, fields and pictures for scripts.", "isolume-batch");
  program->set_version_flag("--version", std::string("isolume-batch ") + version);
  program->require_subcommand(1);
  for (const BatchLab& lab : context.labs) {
    if (!lab.add_verbs) continue;
    auto* verbs = program->add_subcommand(lab.description.name, lab.help);
    verbs->require_subcommand(1);
    if (!lab.alias.empty()) verbs->alias(lab.alias);
    lab.add_verbs(*verbs, context);
  }
  auto* bench = program->add_subcommand("bench", "Measure how fast this machine computes.");
  bench->require_subcommand(1);
  for (const BatchLab& lab : context.labs) {
    if (!lab.add_bench) continue;
    lab.add_bench(*bench, context);
    if (!lab.alias.empty()) bench->get_subcommand(lab.description.name)->alias(lab.alias);
  }
  add_bench_gpu_parts(*bench, context);
  add_devices(*program, context);
  add_script(*program, context);
  add_commands(*program, context);
  add_manual(*program, context);
  add_completion(*program, context);
  add_mime_types(*program, context);
  std::string footer = "Short forms:";
  for (const auto& [form, words] : short_forms(context.labs))
    footer += fmt::format("{} {} for {}", footer.back() == ':' ? "" : ",", form, words);
  program->footer(footer + ".");
  return program;
}

void execute(std::vector<std::string> arguments, Context& context) {
  context.action = nullptr;
  context.described.clear();
  context.parameter_sets.clear();
  context.outputs.clear();
  context.inputs.clear();
  context.remarks = {};
  const auto program = make_command_line(context);
  arguments = in_full(std::move(arguments), context.labs, *program);
  std::reverse(arguments.begin(), arguments.end());  // CLI11 expects them in reverse order
  try {
    program->parse(std::move(arguments));
  } catch (const CLI::Success& wanted) {  // --help, --version
    program->exit(wanted, context.out, context.err);
    return;
  } catch (const CLI::ParseError& error) {
    throw UsageError(fmt::format("{}. See isolume-batch {}--help.", error.what(), called_words(*program)));
  } catch (const Error& error) {  // an invalid parameter value
    throw UsageError(error.what());
  }
  context.action();
}

void need_full_program(Context& context) {
  if (!context.full_program) return;
  context.progress.check();
  context.out.flush();
  context.full_program();
}

void complain(std::ostream& err, std::string_view text) {
  std::string line = fmt::format("isolume-batch: {}", shortened(text));
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  err << line << std::endl;
}

void report(Context& context, std::string_view file, const Remarks& remarks) {
  for (const auto& remark : remarks) complain(context.err, fmt::format("{}: {}", file, remark.text));
  context.remarks.add(remarks);
}

void report(Context& context, const Remarks& remarks) {
  for (const auto& remark : remarks) complain(context.err, remark.text);
  context.remarks.add(remarks);
}

void print(std::ostream& out, const nlohmann::ordered_json& json) {
  out << json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
}

namespace {

/// What writing an output replaces: its file, and the one that it has until it is finished.
std::array<std::filesystem::path, 2> files_of_output(const std::string& output) {
  return {std::filesystem::weakly_canonical(behind_links(output)),
          std::filesystem::weakly_canonical(behind_links(partial_name(output)))};
}

void require_two_files(const std::string& one, const std::string& other) {
  if (one == other)
    throw UsageError(fmt::format("{}: two outputs have this name. Give one of them another name.", one));
  std::error_code ignored;  // files that do not exist yet are told apart by their names
  const auto files = files_of_output(one), others = files_of_output(other);
  if (!std::filesystem::equivalent(one, other, ignored) &&
      std::ranges::find_first_of(files, others) == files.end())
    return;
  throw UsageError(
      fmt::format("{}: the output {} is the same file, or is until it is finished. Give one of them another "
                  "name.",
                  one, other));
}

void require_another_file(const std::string& output, const std::filesystem::path& input) {
  std::error_code ignored;  // a file that does not exist is a different one
  if (std::filesystem::equivalent(output, input, ignored)) {
    throw Error(
        fmt::format("{}: this is the input file, {}. Give the output another name.", output, input.string()));
  }
}

}  // namespace

void check_outputs(Context& context, std::span<const std::string> outputs,
                   std::span<const std::string> inputs) {
  context.outputs.assign(outputs.begin(), outputs.end());
  for (const auto& input : inputs) add_input(context, input);
  for (auto output = outputs.begin(); output != outputs.end(); ++output) {
    for (const auto& input : context.inputs) require_another_file(*output, input);
    for (auto other = outputs.begin(); other != output; ++other) require_two_files(*output, *other);
    const AtomicFile can_be_written(*output);
  }
}

void add_input(Context& context, const std::filesystem::path& input) {
  for (const auto& output : context.outputs) require_another_file(output, input);
  context.inputs.push_back(input);
}

void add_inputs(Context& context, std::span<const std::filesystem::path> inputs) {
  for (const auto& input : inputs) add_input(context, input);
}

int run(const std::vector<BatchLab>& labs, std::vector<std::string> arguments, std::ostream& out,
        std::ostream& err, bool live, std::stop_token stop, std::function<void()> full_program) {
  log::set_level(log::Level::warning);
  std::optional<LiveLine> line;
  jobs::Progress::Report report;
  if (live) {
    line.emplace(err);
    report = [&line](double fraction, std::string_view stage) { line->show(fraction, stage); };
  }
  Context context{labs, out, err, jobs::Progress(stop, report)};
  context.full_program = std::move(full_program);
  try {
    if (launch().value_or(Launch()).ranks > 1) need_full_program(context);
    execute(std::move(arguments), context);
    line.reset();
    out.flush();
    if (!out) throw Error("Writing to standard output failed. Check where it is redirected to.");
    return 0;
  } catch (const CancelledInPart& part) {
    line.reset();
    complain(err, fmt::format("cancelled; {}", part.what()));
    return 130;
  } catch (const Cancelled&) {
    line.reset();
    complain(err, "cancelled; nothing was written");
    return 130;
  } catch (const SaidElsewhere& other) {
    line.reset();
    return other.code;
  } catch (const UsageError& error) {
    line.reset();
    // All processes of an MPI launch have the same arguments, so only the first one complains.
    if (launch().value_or(Launch()).rank == 0) complain(err, error.what());
    return 2;
  } catch (const std::exception& error) {
    line.reset();
    complain(err, error_text(error));
  }
  return 1;
}

}  // namespace isolume::batch
