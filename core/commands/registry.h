#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/commands/arguments.h"
#include "core/commands/declaration.h"
#include "core/jobs/activity.h"

namespace isolume::commands {

using jobs::Outcome;

/// The action of a command: receives its arguments, may return a result, throws Error.
class Action {
 public:
  template <class Function>
  requires std::is_invocable_v<Function, const Arguments&> Action(Function function) {
    if constexpr (std::is_void_v<std::invoke_result_t<Function, const Arguments&>>) {
      run_ = [function = std::move(function)](const Arguments& arguments) {
        function(arguments);
        return nlohmann::json();
      };
    } else {
      run_ = std::move(function);
    }
  }
  Action() = default;
  explicit operator bool() const { return static_cast<bool>(run_); }
  nlohmann::json operator()(const Arguments& arguments) const { return run_(arguments); }

 private:
  std::function<nlohmann::json(const Arguments&)> run_;
};

/// A named user action.
struct Command : Declaration {
  Action run = {};  ///< none: it is declared, but cannot run in this program
  /// Why it cannot run now ("Open a wavefunction first."), or empty if it can. May be null: always available.
  std::function<std::string()> unavailable = nullptr;

  std::string why_unavailable() const { return unavailable ? unavailable() : std::string(); }
};

/// An executed command, for recorders. `id` identifies the run.
struct Run {
  std::uint64_t id = 0;
  const Declaration& declaration;
  std::span<const std::string> words;
  bool continues = false;  ///< replaces the previous run if that was the same command
};

/// All commands by name. The window, scripts, isolume-batch and tests act through one of these. It runs
/// commands on one thread, its owner's.
///
/// A command may start work that continues after it has returned (see jobs::Activity): it has ended when all
/// of that work has. A command that another one runs, at once or later, is part of that one.
class Registry {
 public:
  using Then = std::function<void(const Outcome& outcome)>;
  struct Observer {
    std::function<void(const Run& run)> started;   ///< it has run without an error
    std::function<void(std::uint64_t id)> failed;  ///< work that it had started has failed
  };

  /// `later` posts a call to the owner's thread, from any thread, including that one. Null: calls at once,
  /// for single-threaded programs.
  explicit Registry(std::function<void(std::function<void()>)> later = nullptr);

  /// Throws std::logic_error when a name is taken.
  void declare(std::vector<Declaration> declarations);
  /// Sets the action of a declared command. Throws std::logic_error if it was not declared, or is bound
  /// already.
  void bind(std::string_view name, Action run, std::function<std::string()> unavailable = nullptr);
  /// Declares and binds.
  void add(Command command);

  /// Explanation for commands that are declared and not bound, e.g. "It needs a window."
  void explain_unbound(std::string why) { unbound_ = std::move(why); }

  /// Null if there is none.
  const Command* find(std::string_view name) const;
  /// Sorted by name.
  std::vector<const Command*> all() const;

  /// Runs a line such as `orbitals.select homo` or `file.open "a path with spaces.molden"`. Returns the
  /// result as far as it is known on return. Throws Error: unknown command (with the nearest names),
  /// unavailable (with the reason), wrong arguments, or what the command itself throws.
  nlohmann::json run(std::string_view line);
  nlohmann::json run(std::string_view name, std::span<const std::string> words);
  /// The same, but `then` is called once, on the owner's thread, when all work that the command started has
  /// ended; errors are passed to it, too.
  void start(std::string_view line, Then then);
  /// Reports an action by hand that equals a command: observers are notified as if the command had run. Calls
  /// on behalf of a running command are ignored, since they are its consequences. During a movement (a slice
  /// that is scrolled through) the last call `continues` the earlier ones. Throws Error for a wrong name or
  /// wrong words.
  void note(std::string_view name, std::span<const std::string> words, bool continues = false);

  void observe(Observer observer) { observer_ = std::move(observer); }

 private:
  jobs::Activity::Pointer begin(std::uint64_t id, std::string_view name, Then then);
  nlohmann::json run_within(std::uint64_t id, std::string_view name, std::span<const std::string> words);
  const Command& runnable(std::string_view name) const;

  std::map<std::string, Command, std::less<>> commands_;
  std::function<void(std::function<void()>)> later_;
  std::string unbound_ = "It cannot run here.";
  Observer observer_;
  std::uint64_t last_id_ = 0;
  std::shared_ptr<Registry*> self_;  ///< used by activities that outlive the registry
};

/// Sets the result of the command on whose behalf this is called, directly or in a job.
void report(nlohmann::json result);

}  // namespace isolume::commands
