#pragma once

/// CUDA C++ for host compilers: qualifiers, indices, barriers, warp operations, atomics and intrinsics of
/// kernels, implemented by the emulator. Shared memory is thread_local because the blocks of a device run on
/// one host thread, its worker, which saves the variables of a block when another one continues; constant
/// memory because each device has its own.

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>  // before __noinline__ becomes a macro: the C++ library uses the word
#include <type_traits>

#include "vector_types.h"

#include "gpu/emulator/arithmetic.h"

#define __host__
#define __device__
// Kernels of sources compiled with -ftz=true lie in a section of their own: see kernel_code.
#ifdef ISOLUME_FLUSH_TO_ZERO
#define __global__ __attribute__((section("isolume_flush_to_zero")))
#else
#define __global__
#endif
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
// The bound is encoded in the number of no-operation bytes before the kernel: see kernel_code.
#if defined(__GNUC__) && !defined(__clang__)
// (+ 0: g++ 12 ends itself on the bare name of a constant here.)
#define __launch_bounds__(threads, ...) \
  __attribute__((patchable_function_entry((threads) + 0, (threads) + 0)))
#else
#define __launch_bounds__(...)
#endif
#define __grid_constant__
#define __align__(bytes) alignas(bytes)
#define __shared__ static thread_local
#define __constant__ thread_local

#define threadIdx (::isolume::gpu::emulator::thread_index())
#define blockIdx (::isolume::gpu::emulator::block_index())
#define blockDim (::isolume::gpu::emulator::block_size())
#define gridDim (::isolume::gpu::emulator::grid_size())

inline constexpr int warpSize = 32;

namespace isolume::gpu::emulator {

/// Position of a barrier or a warp operation in the source.
struct Place {
  const char* file;
  int line;

  bool operator==(const Place& other) const {
    return line == other.line && (file == other.file || __builtin_strcmp(file, other.file) == 0);
  }
};

// Constant for a kernel's thread from the compiler's point of view.
[[gnu::const]] uint3 thread_index();
[[gnu::const]] uint3 block_index();
[[gnu::const]] dim3 block_size();
[[gnu::const]] dim3 grid_size();
/// The block's dynamic shared memory, aligned to 128 bytes.
void* dynamic_shared_memory();

/// Waits for all threads of the block; returns the number of threads whose predicate was true.
int sync_block(bool predicate, Place place);

enum class WarpOperation {
  sync,
  shuffle,
  shuffle_up,
  shuffle_down,
  shuffle_xor,
  ballot,
  match_any,
  match_all,
  reduce_add,
  reduce_min,
  reduce_max,
  reduce_min_unsigned,
  reduce_max_unsigned,
  reduce_and,
  reduce_or,
  reduce_xor,
};
/// Waits for all lanes of the mask, then returns the result for the calling lane. `argument` is the shuffle's
/// lane, distance or lane mask.
std::uint64_t warp_operation(WarpOperation operation, unsigned mask, std::uint64_t value, int argument,
                             int width, Place place);
unsigned active_lanes();

/// Checks an atomic access, and one past the first cache.
void atomic_access(const volatile void* address, int bytes);
void strong_access(const volatile void* address, int bytes, bool write);
/// Ends a kernel with such a pointer.
void misaligned(const void* pointer, std::size_t alignment, const char* type, Place place);
/// __threadfence.
void fence();
[[noreturn]] void trap(const char* why);
long long device_clock();

template <class T>
std::uint64_t to_bits(T value) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);
  if constexpr (sizeof(T) == 8)
    return std::bit_cast<std::uint64_t>(value);
  else if constexpr (sizeof(T) == 4)
    return std::bit_cast<std::uint32_t>(value);
  else if constexpr (sizeof(T) == 2)
    return std::bit_cast<std::uint16_t>(value);
  else
    return std::bit_cast<std::uint8_t>(value);
}
template <class T>
T from_bits(std::uint64_t bits) {
  if constexpr (sizeof(T) == 8)
    return std::bit_cast<T>(bits);
  else if constexpr (sizeof(T) == 4)
    return std::bit_cast<T>(static_cast<std::uint32_t>(bits));
  else if constexpr (sizeof(T) == 2)
    return std::bit_cast<T>(static_cast<std::uint16_t>(bits));
  else
    return std::bit_cast<T>(static_cast<std::uint8_t>(bits));
}

/// Stores an atomic operation's result: any function of the old value. Not instrumented, because it is a
/// separate kind of access. Truly atomic, since devices and the host may share memory.
template <class T, class Update>
__attribute__((no_sanitize("thread"))) T atomic_update(T* address, Update update) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;
  atomic_access(address, sizeof(T));
  auto* const bits = reinterpret_cast<Bits*>(address);
  Bits old = __atomic_load_n(bits, __ATOMIC_RELAXED);
  while (true) {
    const T before = std::bit_cast<T>(old);
    const Bits after = std::bit_cast<Bits>(static_cast<T>(update(before)));
    if (__atomic_compare_exchange_n(bits, &old, after, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
      return before;
  }
}

}  // namespace isolume::gpu::emulator

#define ISOLUME_PLACE const char *file = __builtin_FILE(), int line = __builtin_LINE()

// Barriers.

inline void __syncthreads(ISOLUME_PLACE) {
  isolume::gpu::emulator::sync_block(false, {file, line});
}
inline int __syncthreads_count(int predicate, ISOLUME_PLACE) {
  return isolume::gpu::emulator::sync_block(predicate != 0, {file, line});
}
inline int __syncthreads_or(int predicate, ISOLUME_PLACE) {
  return isolume::gpu::emulator::sync_block(predicate != 0, {file, line}) != 0;
}
inline int __syncthreads_and(int predicate, ISOLUME_PLACE) {
  return isolume::gpu::emulator::sync_block(predicate == 0, {file, line}) == 0;
}
inline void __threadfence() {
  isolume::gpu::emulator::fence();
}
inline void __threadfence_block() {}
inline void __threadfence_system() {
  isolume::gpu::emulator::fence();
}

// Warps.

inline void __syncwarp(unsigned mask = 0xffffffffU, ISOLUME_PLACE) {
  using namespace isolume::gpu::emulator;
  warp_operation(WarpOperation::sync, mask, 0, 0, 32, {file, line});
}
template <class T>
T __shfl_sync(unsigned mask, T value, int lane, int width = 32, ISOLUME_PLACE) {
  using namespace isolume::gpu::emulator;
  return from_bits<T>(
      warp_operation(WarpOperation::shuffle, mask, to_bits(value), lane, width, {file, line}));
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned distance, int width = 32, ISOLUME_PLACE) {
  using namespace isolume::gpu::emulator;
  return from_bits<T>(warp_operation(WarpOperation::shuffle_up, mask, to_bits(value),
                                     static_cast<int>(distance), width, {file, line}));
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned distance, int width = 32, ISOLUME_PLACE) {
  using namespace isolume::gpu::emulator;
  return from_bits<T>(warp_operation(WarpOperation::shuffle_down, mask, to_bits(value),
                                     static_cast<int>(distance), width, {file, line}));
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32, ISOLUME_PLACE) {
  using namespace isolume::gpu::emulator;
  return from_bits<T>(
      warp_operation(WarpOperation::shuffle_xor, mask, to_bits(value), lane_mask, width, {file, line}));
}
inline unsigned __ballot_sync(unsigned mask, int predicate, ISOLUME_PLACE) {
  using namespace isolume::gpu::emulator;
  return static_cast<unsigned>(
      warp_operation(WarpOperation::ballot, mask, predicate != 0 ? 1 : 0, 0, 32, {file, line}));
}
inline int __any_sync(unsigned mask, int predicate, ISOLUME_PLACE) {
  return __ballot_sync(mask, predicate, file, line) != 0;
}
inline int __all_sync(unsigned mask, int predicate, ISOLUME_PLACE) {
  return __ballot_sync(mask, predicate == 0, file, line) == 0;
}
inline unsigned __activemask() {
  return isolume::gpu::emulator::active_lanes();
}
template <class T>
unsigned __match_any_sync(unsigned mask, T value, ISOLUME_PLACE) {
  using namespace isolume::gpu::emulator;
  return static_cast<unsigned>(
      warp_operation(WarpOperation::match_any, mask, to_bits(value), 0, 32, {file, line}));
}
template <class T>
unsigned __match_all_sync(unsigned mask, T value, int* all, ISOLUME_PLACE) {
  using namespace isolume::gpu::emulator;
  const auto lanes = static_cast<unsigned>(
      warp_operation(WarpOperation::match_all, mask, to_bits(value), 0, 32, {file, line}));
  *all = lanes != 0;
  return lanes;
}
#define ISOLUME_WARP_REDUCTION(name, type, operation)                                         \
  inline type name(unsigned mask, type value, ISOLUME_PLACE) {                                \
    using namespace isolume::gpu::emulator;                                                   \
    return from_bits<type>(                                                                   \
        warp_operation(WarpOperation::operation, mask, to_bits(value), 0, 32, {file, line})); \
  }
ISOLUME_WARP_REDUCTION(__reduce_add_sync, unsigned, reduce_add)
ISOLUME_WARP_REDUCTION(__reduce_add_sync, int, reduce_add)
ISOLUME_WARP_REDUCTION(__reduce_min_sync, unsigned, reduce_min_unsigned)
ISOLUME_WARP_REDUCTION(__reduce_min_sync, int, reduce_min)
ISOLUME_WARP_REDUCTION(__reduce_max_sync, unsigned, reduce_max_unsigned)
ISOLUME_WARP_REDUCTION(__reduce_max_sync, int, reduce_max)
ISOLUME_WARP_REDUCTION(__reduce_and_sync, unsigned, reduce_and)
ISOLUME_WARP_REDUCTION(__reduce_or_sync, unsigned, reduce_or)
ISOLUME_WARP_REDUCTION(__reduce_xor_sync, unsigned, reduce_xor)
#undef ISOLUME_WARP_REDUCTION
#undef ISOLUME_PLACE

// Atomics.

#define ISOLUME_ATOMIC(name, type, expression)                                                           \
  inline type name(type* address, type value) {                                                          \
    return isolume::gpu::emulator::atomic_update(address, [=](type old) -> type { return expression; }); \
  }
ISOLUME_ATOMIC(atomicAdd, int, static_cast<int>(static_cast<unsigned>(old) + static_cast<unsigned>(value)))
ISOLUME_ATOMIC(atomicAdd, unsigned, old + value)
ISOLUME_ATOMIC(atomicAdd, unsigned long long, old + value)
ISOLUME_ATOMIC(atomicAdd, float, old + value)
ISOLUME_ATOMIC(atomicAdd, double, old + value)
ISOLUME_ATOMIC(atomicSub, int, static_cast<int>(static_cast<unsigned>(old) - static_cast<unsigned>(value)))
ISOLUME_ATOMIC(atomicSub, unsigned, old - value)
ISOLUME_ATOMIC(atomicMin, int, value < old ? value : old)
ISOLUME_ATOMIC(atomicMin, unsigned, value < old ? value : old)
ISOLUME_ATOMIC(atomicMin, long long, value < old ? value : old)
ISOLUME_ATOMIC(atomicMin, unsigned long long, value < old ? value : old)
ISOLUME_ATOMIC(atomicMax, int, value > old ? value : old)
ISOLUME_ATOMIC(atomicMax, unsigned, value > old ? value : old)
ISOLUME_ATOMIC(atomicMax, long long, value > old ? value : old)
ISOLUME_ATOMIC(atomicMax, unsigned long long, value > old ? value : old)
ISOLUME_ATOMIC(atomicExch, int, (static_cast<void>(old), value))
ISOLUME_ATOMIC(atomicExch, unsigned, (static_cast<void>(old), value))
ISOLUME_ATOMIC(atomicExch, unsigned long long, (static_cast<void>(old), value))
ISOLUME_ATOMIC(atomicExch, float, (static_cast<void>(old), value))
ISOLUME_ATOMIC(atomicAnd, int, old& value)
ISOLUME_ATOMIC(atomicAnd, unsigned, old& value)
ISOLUME_ATOMIC(atomicAnd, unsigned long long, old& value)
ISOLUME_ATOMIC(atomicOr, int, old | value)
ISOLUME_ATOMIC(atomicOr, unsigned, old | value)
ISOLUME_ATOMIC(atomicOr, unsigned long long, old | value)
ISOLUME_ATOMIC(atomicXor, int, old ^ value)
ISOLUME_ATOMIC(atomicXor, unsigned, old ^ value)
ISOLUME_ATOMIC(atomicXor, unsigned long long, old ^ value)
ISOLUME_ATOMIC(atomicInc, unsigned, old >= value ? 0 : old + 1)
ISOLUME_ATOMIC(atomicDec, unsigned, old == 0 || old > value ? value : old - 1)
#undef ISOLUME_ATOMIC
#define ISOLUME_ATOMIC_CAS(type)                                                   \
  inline type atomicCAS(type* address, type expected, type value) {                \
    return isolume::gpu::emulator::atomic_update(                                  \
        address, [=](type old) -> type { return old == expected ? value : old; }); \
  }
ISOLUME_ATOMIC_CAS(int)
ISOLUME_ATOMIC_CAS(unsigned)
ISOLUME_ATOMIC_CAS(unsigned long long)
ISOLUME_ATOMIC_CAS(unsigned short)
#undef ISOLUME_ATOMIC_CAS

// Loads and stores with cache hints. Caches are not emulated; accesses past the first cache see other blocks'
// changes.

#define ISOLUME_LOAD(name)   \
  template <class T>         \
  T name(const T* address) { \
    return *address;         \
  }
ISOLUME_LOAD(__ldg)
ISOLUME_LOAD(__ldca)
ISOLUME_LOAD(__ldcs)
ISOLUME_LOAD(__ldlu)
#undef ISOLUME_LOAD
#define ISOLUME_STRONG_LOAD(name)                                     \
  template <class T>                                                  \
  __attribute__((no_sanitize("thread"))) T name(const T* address) {   \
    isolume::gpu::emulator::strong_access(address, sizeof(T), false); \
    return *address;                                                  \
  }
ISOLUME_STRONG_LOAD(__ldcg)
ISOLUME_STRONG_LOAD(__ldcv)
#undef ISOLUME_STRONG_LOAD
#define ISOLUME_STORE(name)        \
  template <class T>               \
  void name(T* address, T value) { \
    *address = value;              \
  }
ISOLUME_STORE(__stwb)
ISOLUME_STORE(__stcs)
#undef ISOLUME_STORE
#define ISOLUME_STRONG_STORE(name)                                        \
  template <class T>                                                      \
  __attribute__((no_sanitize("thread"))) void name(T* address, T value) { \
    isolume::gpu::emulator::strong_access(address, sizeof(T), true);      \
    *address = value;                                                     \
  }
ISOLUME_STRONG_STORE(__stcg)
ISOLUME_STRONG_STORE(__stwt)
#undef ISOLUME_STRONG_STORE

// Bits.

inline int __popc(unsigned x) {
  return std::popcount(x);
}
inline int __popcll(unsigned long long x) {
  return std::popcount(x);
}
inline int __clz(int x) {
  return std::countl_zero(static_cast<unsigned>(x));
}
inline int __clzll(long long x) {
  return std::countl_zero(static_cast<unsigned long long>(x));
}
inline int __ffs(int x) {
  return __builtin_ffs(x);
}
inline int __ffsll(long long x) {
  return __builtin_ffsll(x);
}
inline unsigned __brev(unsigned x) {
  unsigned reversed = 0;
  for (int bit = 0; bit < 32; ++bit) reversed |= (x >> bit & 1U) << (31 - bit);
  return reversed;
}
inline unsigned long long __brevll(unsigned long long x) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32 |
         __brev(static_cast<unsigned>(x >> 32));
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((static_cast<std::uint64_t>(high) << 32 | low) << (shift & 31U) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((static_cast<std::uint64_t>(high) << 32 | low) >> (shift & 31U));
}
inline int __mul24(int a, int b) {
  return (a << 8 >> 8) * (b << 8 >> 8);
}
inline unsigned __umul24(unsigned a, unsigned b) {
  return (a & 0xffffffU) * (b & 0xffffffU);
}
inline int __mulhi(int a, int b) {
  return static_cast<int>(static_cast<std::int64_t>(a) * b >> 32);
}
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<std::uint64_t>(a) * b >> 32);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
inline int __float_as_int(float x) {
  return std::bit_cast<int>(x);
}
inline unsigned __float_as_uint(float x) {
  return std::bit_cast<unsigned>(x);
}
inline float __int_as_float(int x) {
  return std::bit_cast<float>(x);
}
inline float __uint_as_float(unsigned x) {
  return std::bit_cast<float>(x);
}
inline long long __double_as_longlong(double x) {
  return std::bit_cast<long long>(x);
}
inline double __longlong_as_double(long long x) {
  return std::bit_cast<double>(x);
}

// The smaller and the larger of two, for any two arithmetic types as in CUDA.
template <class A, class B>
requires(std::is_arithmetic_v<A>&& std::is_arithmetic_v<B>) constexpr auto min(A a, B b) {
  using T = std::common_type_t<A, B>;
  return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a);
}
template <class A, class B>
requires(std::is_arithmetic_v<A>&& std::is_arithmetic_v<B>) constexpr auto max(A a, B b) {
  using T = std::common_type_t<A, B>;
  return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b) : static_cast<T>(a);
}

inline void __trap() {
  isolume::gpu::emulator::trap("__trap() was called");
}
inline long long clock64() {
  return isolume::gpu::emulator::device_clock();
}
