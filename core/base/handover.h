#pragma once

#include <utility>

#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

/// Annotations for the thread sanitizer, which cannot see how libtbb passes work to its threads, since libtbb
/// is not compiled with it. A `Caller` lives around a TBB call and receives its body, a `Worker` lives in the
/// body. The caller's earlier operations happen before the workers' work, and that happens before the
/// caller's later operations; the workers stay unordered among themselves. A `Joiner` is a worker that reads
/// results of others. Without the sanitizer they do nothing. The functions below call TBB's loops with them.
namespace isolume::handover {

#ifdef __SANITIZE_THREAD__
inline char begun, ended;
struct Caller {
  template <class Body>
  explicit Caller(const Body& body) {
    asm volatile("" : : "r"(&body) : "memory");  // stores captured values before the TBB call
    __tsan_release(&begun);
  }
  ~Caller() { __tsan_acquire(&ended); }
};
struct Worker {
  Worker() { __tsan_acquire(&begun); }
  ~Worker() { __tsan_release(&ended); }
};
struct Joiner {
  Joiner() {
    __tsan_acquire(&begun);
    __tsan_acquire(&ended);
  }
  ~Joiner() { __tsan_release(&ended); }
};
#else
struct [[maybe_unused]] Caller {
  template <class Body>
  explicit Caller(const Body&) {}
};
struct [[maybe_unused]] Worker {};
struct [[maybe_unused]] Joiner {};
#endif

template <class Range, class Body, class... Partitioner>
void parallel_for(const Range& range, const Body& body, const Partitioner&... partitioner) {
  const auto noted = [&body](const Range& part) {
    const Worker here;
    body(part);
  };
  const Caller here(noted);
  tbb::parallel_for(range, noted, partitioner...);
}

template <class Range, class Value, class Body, class Join>
Value parallel_reduce(const Range& range, const Value& identity, const Body& body, const Join& join) {
  struct Reduction {
    const Value* identity;
    const Body* body;
    const Join* join_values;
    Value value;

    Reduction(const Value& first, const Body& each, const Join& both)
        : identity(&first), body(&each), join_values(&both), value(first) {}
    Reduction(Reduction& from, tbb::split) : Reduction(from, Joiner()) {}
    Reduction(const Reduction& from, const Joiner&)
        : Reduction(*from.identity, *from.body, *from.join_values) {}
    void operator()(const Range& part) {
      const Worker here;
      value = (*body)(part, std::as_const(value));
    }
    void join(Reduction& other) {
      const Joiner here;
      value = (*join_values)(std::as_const(value), std::as_const(other.value));
    }
  } reduction(identity, body, join);
  {
    const Caller here(reduction);
    tbb::parallel_reduce(range, reduction);
  }
  return std::move(reduction.value);
}

}  // namespace isolume::handover
