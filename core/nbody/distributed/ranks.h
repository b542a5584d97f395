#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "core/base/error.h"

namespace isolume {

/// Values of each rank, or for each rank, one rank's after the other's.
template <class T>
struct PerRank {
  std::vector<T> values;
  std::vector<std::size_t> begin;  ///< where each rank's begin, and the end of all

  std::span<const T> of(int rank) const {
    const auto i = static_cast<std::size_t>(rank);
    return {values.data() + begin[i], values.data() + begin[i + 1]};
  }
};

/// What could not be done on one of the ranks; thrown on all of them.
class FailedOnRank : public Error {
 public:
  using Error::Error;
};
/// The same for Cancelled.
class CancelledOnRank : public Cancelled {};

/// The processes that a launcher has started together, by MPI. While it lives they can talk to each other; one at a time.
/// Every function that is not said to be of one rank is called by all of them, in the same order, by the thread that
/// made this. What MPI itself cannot do ends all ranks.
class Ranks {
 public:
  /// Throws Error where there were ranks before: MPI begins once in a program.
  Ranks();
  /// Waits for the others. Where it goes because of an exception that they do not know of, it ends them.
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  int rank() const { return rank_; }
  int count() const { return count_; }
  bool is_first() const { return rank_ == 0; }
  /// As many threads as a rank may use where nobody said how many: the processors divided among the ranks of a machine.
  int threads() const { return threads_; }

  /// Does something that may throw on some ranks. Where it did, all ranks throw: FailedOnRank with the text of the first
  /// of them, or CancelledOnRank.
  template <class Work>
  void together(const Work& work) const {
    Outcome outcome = Outcome::done;
    std::string text;
    try {
      work();
    } catch (const Cancelled&) {
      outcome = Outcome::cancelled;
    } catch (const std::bad_alloc&) {
      outcome = Outcome::failed;
      text = "There is not enough memory for this.";
    } catch (const std::exception& error) {
      outcome = Outcome::failed;
      text = error.what();
    }
    agree(outcome, text);
  }
  /// Ends all ranks at once, from one of them.
  [[noreturn]] void abort(int code) const;

  void sum(std::span<double> values) const;
  void least(std::span<double> values) const;
  void greatest(std::span<double> values) const;

  /// What each rank has.
  template <class T>
  PerRank<T> gather(std::span<const T> own) const {
    PerRank<T> all;
    all.begin = begins(own.size());
    all.values.resize(all.begin.back());
    gather(own.data(), own.size(), all.values.data(), all.begin, size_of<T>());
    return all;
  }
  /// What each rank has for this one.
  template <class T>
  PerRank<T> exchange(const PerRank<T>& to_each) const {
    PerRank<T> from_each;
    from_each.begin = begins_of_exchange(to_each.begin);
    from_each.values.resize(from_each.begin.back());
    exchange(to_each.values.data(), to_each.begin, from_each.values.data(), from_each.begin, size_of<T>());
    return from_each;
  }
  /// From one rank to another; only those two call them, with as many values.
  template <class T>
  void send(std::span<const T> values, int to) const {
    send(values.data(), values.size(), to, size_of<T>());
  }
  template <class T>
  void receive(std::span<T> values, int from) const {
    receive(values.data(), values.size(), from, size_of<T>());
  }

 private:
  enum class Outcome { failed, cancelled, done };

  template <class T>
  static constexpr std::size_t size_of() {
    static_assert(std::is_trivially_copyable_v<T>);
    return sizeof(T);
  }
  void agree(Outcome outcome, const std::string& text) const;
  std::vector<std::size_t> begins(std::size_t own) const;
  std::vector<std::size_t> begins_of_exchange(const std::vector<std::size_t>& to_each) const;
  void gather(const void* own, std::size_t count, void* all, const std::vector<std::size_t>& begin,
              std::size_t bytes) const;
  void exchange(const void* from, const std::vector<std::size_t>& from_begin, void* to,
                const std::vector<std::size_t>& to_begin, std::size_t bytes) const;
  void send(const void* values, std::size_t count, int to, std::size_t bytes) const;
  void receive(void* values, std::size_t count, int from, std::size_t bytes) const;

  int rank_ = 0, count_ = 1, threads_ = 1;
  int exceptions_before_ = 0;
  mutable bool all_know_ = false;  ///< of the exception that is on its way
};

}  // namespace isolume
