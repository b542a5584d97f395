#pragma once

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

/// For the thread sanitizer alone, which cannot see how libtbb hands work to its threads, as that is not
/// compiled with it. A `Caller` lives around a TBB call and is given its body, a `Worker` in the body: what
/// the caller did before has happened for the workers, and what they did has happened for the caller
/// afterwards; the workers stay unordered among themselves. Without the sanitizer both are nothing.
namespace isolume::handover {

#ifdef __SANITIZE_THREAD__
inline char begun, ended;
struct Caller {
  template <class Body>
  explicit Caller(const Body& body) {
    asm volatile("" : : "r"(&body) : "memory");  // what it captured is stored now, not when TBB is called
    __tsan_release(&begun);
  }
  ~Caller() { __tsan_acquire(&ended); }
};
struct Worker {
  Worker() { __tsan_acquire(&begun); }
  ~Worker() { __tsan_release(&ended); }
};
#else
struct [[maybe_unused]] Caller {
  template <class Body>
  explicit Caller(const Body&) {}
};
struct [[maybe_unused]] Worker {};
#endif

}  // namespace isolume::handover
