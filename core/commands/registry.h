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

/// What a command does: gets its arguments, may give a result, throws Error.
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

/// One thing a person can do, by name.
struct Command : Declaration {
  Action run = {};  ///< none: it is declared, but cannot run here
  /// Why it cannot run now ("Open a wavefunction first."), or empty when it can. May be null: always can.
  std::function<std::string()> unavailable = nullptr;

  std::string why_unavailable() const { return unavailable ? unavailable() : std::string(); }
};

/// What was done by name, for whoever keeps a record. `id` tells one run from another.
struct Run {
  std::uint64_t id = 0;
  const Declaration& declaration;
  std::span<const std::string> words;
  bool continues = false;  ///< takes the place of the run before, where that was the same command
};

/// All commands by name. The window, scripts, isolume-batch and tests act through one of these. It runs them
/// on one thread, its owner's.
///
/// A command may start work that goes on when it has returned (see jobs::Activity): it has ended when all of
/// that has. A command that another one runs, at once or later, is part of that one.
class Registry {
 public:
  using Then = std::function<void(const Outcome& outcome)>;
  struct Observer {
    std::function<void(const Run& run)> started;   ///< it has run without an error
    std::function<void(std::uint64_t id)> failed;  ///< what it had started has failed
  };

  /// `later` brings a call to the owner's thread, from any thread, also from that one; null: calls at once,
  /// for programs of one thread.
  explicit Registry(std::function<void(std::function<void()>)> later = nullptr);

  /// Throws std::logic_error when a name is taken.
  void declare(std::vector<Declaration> declarations);
  /// What a declared command does here. Throws std::logic_error where it was not declared, or is bound.
  void bind(std::string_view name, Action run, std::function<std::string()> unavailable = nullptr);
  /// Declares and binds.
  void add(Command command);

  /// What to say of commands that are declared and not bound, e.g. "It needs a window."
  void explain_unbound(std::string why) { unbound_ = std::move(why); }

  /// Null when there is none.
  const Command* find(std::string_view name) const;
  /// By name.
  std::vector<const Command*> all() const;

  /// `orbitals.select homo`, `file.open "a path with spaces.molden"`. Returns its result as far as it has one
  /// by now. Throws Error: unknown command (with the nearest names), unavailable (why), wrong arguments, or
  /// what the command itself throws.
  nlohmann::json run(std::string_view line);
  nlohmann::json run(std::string_view name, std::span<const std::string> words);
  /// The same, and `then` is called once, on the owner's thread, when all has ended that the command started;
  /// errors come that way, too.
  void start(std::string_view line, Then then);
  /// To be called by whoever does by hand what a command does: observers hear of it as if it had been run.
  /// Nothing happens on behalf of a command that is recorded, whose consequence it is. Of a movement that
  /// goes on (a slice that is turned through) the last one `continues` those before. Throws Error for a name
  /// or words that are wrong.
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
  std::shared_ptr<Registry*> self_;  ///< what activities that outlive it look through
};

/// Tells the result of the command on whose behalf this is called, at once or by a job.
void report(nlohmann::json result);

}  // namespace isolume::commands
