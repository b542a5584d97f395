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

/// Values from each rank or for each rank, in the order of ranks.
template <class T>
struct PerRank {
  std::vector<T> values;
  std::vector<std::size_t> begin;  ///< start of each rank's values, and the end of all

  std::span<const T> of(int rank) const {
    const auto i = static_cast<std::size_t>(rank);
    return {values.data() + begin[i], values.data() + begin[i + 1]};
  }
};

/// An error on one of the ranks; thrown on all of them.
class FailedOnRank : public Error {
 public:
  using Error::Error;
};
/// The same for Cancelled.
class CancelledOnRank : public Cancelled {};

/// The MPI processes started by a launcher. They can communicate while this object lives; only one can exist at a
/// time. Unless stated otherwise, every function is collective: all ranks call it, in the same order, from the thread
/// that created this object. Failures of MPI itself end all ranks.
class Ranks {
 public:
  /// Throws Error if there were ranks before: MPI can be initialised once per process.
  Ranks();
  /// Waits for the others. If it is destroyed by an exception that the others do not know of, it aborts them.
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  int rank() const { return rank_; }
  int count() const { return count_; }
  bool is_first() const { return rank_ == 0; }
  /// Default number of threads per rank: the processors divided among the ranks of a machine.
  int threads() const { return threads_; }

  /// Runs work that may throw on some ranks. If it does, all ranks throw: FailedOnRank with the text of the first of
  /// them, or CancelledOnRank.
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
  /// Aborts all ranks, from one of them.
  [[noreturn]] void abort(int code) const;

  void sum(std::span<double> values) const;
  void least(std::span<double> values) const;
  void greatest(std::span<double> values) const;

  /// Gathers the values of every rank on all ranks.
  template <class T>
  PerRank<T> gather(std::span<const T> own) const {
    PerRank<T> all;
    all.begin = begins(own.size());
    all.values.resize(all.begin.back());
    gather(own.data(), own.size(), all.values.data(), all.begin, size_of<T>());
    return all;
  }
  /// Gathers the values that every rank has for this one.
  template <class T>
  PerRank<T> exchange(const PerRank<T>& to_each) const {
    PerRank<T> from_each;
    from_each.begin = begins_of_exchange(to_each.begin);
    from_each.values.resize(from_each.begin.back());
    exchange(to_each.values.data(), to_each.begin, from_each.values.data(), from_each.begin, size_of<T>());
    return from_each;
  }
  /// Point-to-point; called by these two ranks only, with the same number of values.
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
  mutable bool all_know_ = false;  ///< all ranks know of the exception that is propagating
};

}  // namespace isolume
