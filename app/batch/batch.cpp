#include "app/batch/batch.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/batch/context.h"
#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/logging.h"
#include "core/base/version.h"

namespace isolume::batch {
namespace {

/// "  45 % overlap matrix" on one line that is written again and again; wiped at the end.
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

/// "orbitals render": what the last call of `program` came to.
std::string called_words(const CLI::App& program) {
  std::string words;
  for (auto below = program.get_subcommands(); !below.empty(); below = below.front()->get_subcommands())
    words += below.front()->get_name() + " ";
  return words;
}

/// With the lab's name before a short form. What follows "livewire" is its verb, or an image to be traced.
std::vector<std::string> in_full(std::vector<std::string> arguments) {
  if (arguments.empty()) return arguments;
  for (const auto& [form, words] : short_forms()) {
    if (arguments.front() != form) continue;
    const std::vector<std::string> full = commands::split(words);
    if (form == full.front()) {
      const bool is_full =
          arguments.size() < 2 || arguments[1] == full[1] || arguments[1] == "--help" || arguments[1] == "-h";
      if (is_full) return arguments;
    }
    arguments.erase(arguments.begin());
    arguments.insert(arguments.begin(), full.begin(), full.end());
    return arguments;
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

std::vector<std::pair<std::string, std::string>> short_forms() {
  return {{"describe", "orbitals describe"},     {"compute", "orbitals compute"},
          {"render", "orbitals render"},         {"convert", "orbitals convert"},
          {"precompile", "orbitals precompile"}, {"livewire", "livewire trace"}};
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
      "Isolume without a window: facts, fields and pictures for scripts.", "isolume-batch");
  program->set_version_flag("--version", std::string("isolume-batch ") + version);
  program->require_subcommand(1);
  auto* orbitals = program->add_subcommand("orbitals", "Molecular orbitals and what belongs to them.");
  orbitals->require_subcommand(1);
  add_describe(*orbitals, context);
  add_compute(*orbitals, context);
  add_render(*orbitals, context);
  add_convert(*orbitals, context);
  add_precompile(*orbitals, context);
  auto* livewire = program->add_subcommand("livewire", "Contours in medical images.");
  livewire->require_subcommand(1);
  add_livewire(*livewire, context);
  add_bench(*program, context);
  add_devices(*program, context);
  add_script(*program, context);
  add_commands(*program, context);
  add_manual(*program, context);
  add_completion(*program, context);
  std::string footer = "Short forms:";
  for (const auto& [form, words] : short_forms())
    footer += fmt::format("{} {} for {}", footer.back() == ':' ? "" : ",", form, words);
  program->footer(footer + ".");
  return program;
}

void execute(std::vector<std::string> arguments, Context& context) {
  context.action = nullptr;
  context.described.clear();
  const auto program = make_command_line(context);
  arguments = in_full(std::move(arguments));
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
  try {
    program->parse(std::move(arguments));
  } catch (const CLI::Success& wanted) {  // --help, --version
    program->exit(wanted, context.out, context.err);
    return;
  } catch (const CLI::ParseError& error) {
    throw UsageError(fmt::format("{}. See isolume-batch {}--help.", error.what(), called_words(*program)));
  } catch (const Error& error) {  // a parameter's value
    throw UsageError(error.what());
  }
  context.action();
}

void complain(std::ostream& err, std::string_view text) {
  std::string line = fmt::format("isolume-batch: {}", text);
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  err << line << std::endl;
}

void print(std::ostream& out, const nlohmann::ordered_json& json) {
  out << json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
}

molecules::Document read(Context& context, const std::string& file, double progress_until) {
  auto document = molecules::read_document(file, context.progress.part(0, progress_until));
  for (const auto& warning : document.warnings) complain(context.err, fmt::format("{}: {}", file, warning));
  return document;
}

void explain_spin(Context& context, const std::string& file, const molecules::Document& document,
                  const orbitals::FieldParameters& parameters) {
  const auto set = static_cast<std::size_t>(parameters.set - 1);
  if (!document.wavefunction || set >= document.wavefunction->sets.size()) return;
  using Kind = orbitals::FieldKind;
  const bool whole = parameters.field == Kind::density || parameters.field == Kind::alpha_density ||
                     parameters.field == Kind::beta_density || parameters.field == Kind::spin_density;
  if (whole || parameters.spin != molecules::Spin::beta || document.wavefunction->sets[set].unrestricted())
    return;
  complain(context.err,
           fmt::format("{}: the calculation is restricted, its orbitals serve both spins: --spin beta takes "
                       "them from the same list, and homo and lumo as the beta electrons fill it.",
                       file));
}

void check_outputs(std::span<const std::string> outputs, std::span<const std::string> inputs) {
  for (const auto& output : outputs) {
    for (const auto& input : inputs) require_another_file(output, input);
    const AtomicFile can_be_written(output);
  }
}

void require_another_file(const std::string& output, const std::filesystem::path& input) {
  std::error_code ignored;  // where one of them does not exist, they are two
  if (std::filesystem::equivalent(output, input, ignored)) {
    throw Error(fmt::format("{}: this is the file to be read, {}. Give another name for what is written.",
                            output, input.string()));
  }
}

const molecules::Wavefunction& wavefunction_of(const molecules::Document& document) {
  if (!document.wavefunction) {
    throw InputError(document.path, 0, fmt::format("this {} file holds no orbitals", document.format),
                     "Take a Molden, FCHK or GAMESS file of the calculation.");
  }
  return *document.wavefunction;
}

int run(std::vector<std::string> arguments, std::ostream& out, std::ostream& err, bool live,
        std::stop_token stop) {
  log::set_level(log::Level::warning);
  std::optional<LiveLine> line;
  jobs::Progress::Report report;
  if (live) {
    line.emplace(err);
    report = [&line](double fraction, std::string_view stage) { line->show(fraction, stage); };
  }
  Context context{out, err, jobs::Progress(stop, report)};
  try {
    execute(std::move(arguments), context);
    line.reset();
    out.flush();
    if (!out) throw Error("The standard output could not be written to.");
    return 0;
  } catch (const Cancelled&) {
    line.reset();
    complain(err, "cancelled; nothing was written");
    return 130;
  } catch (const UsageError& error) {
    line.reset();
    complain(err, error.what());
    return 2;
  } catch (const std::bad_alloc&) {
    line.reset();
    complain(err, "There is not enough memory for this.");
  } catch (const std::exception& error) {
    line.reset();
    complain(err, error.what());
  }
  return 1;
}

}  // namespace isolume::batch
