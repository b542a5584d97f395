/// The compiler calls these functions at every load and store of a kernel's translation unit: the interface
/// of ThreadSanitizer's library, which the emulator replaces. Code outside of kernels passes through.

#include <cstdint>

#include "gpu/emulator/checks.h"
#include "gpu/emulator/devices.h"

using isolume::gpu::emulator::Access;
using isolume::gpu::emulator::check_access;
using isolume::gpu::emulator::check_range;

#ifndef ISOLUME_EMULATOR_HOOKS

bool isolume::gpu::emulator::checks_accesses() {
  return false;
}

#else

bool isolume::gpu::emulator::checks_accesses() {
  return true;
}

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}

#define ISOLUME_ACCESS(bytes)                           \
  void __tsan_read##bytes(void* address) {              \
    check_access<bytes, Access::read>(address);         \
  }                                                     \
  void __tsan_write##bytes(void* address) {             \
    check_access<bytes, Access::write>(address);        \
  }                                                     \
  void __tsan_unaligned_read##bytes(void* address) {    \
    check_range(address, bytes, Access::read);          \
  }                                                     \
  void __tsan_unaligned_write##bytes(void* address) {   \
    check_range(address, bytes, Access::write);         \
  }                                                     \
  void __tsan_volatile_read##bytes(void* address) {     \
    check_access<bytes, Access::strong_read>(address);  \
  }                                                     \
  void __tsan_volatile_write##bytes(void* address) {    \
    check_access<bytes, Access::strong_write>(address); \
  }
ISOLUME_ACCESS(1)
ISOLUME_ACCESS(2)
ISOLUME_ACCESS(4)
ISOLUME_ACCESS(8)
ISOLUME_ACCESS(16)

void __tsan_read_range(void* address, std::size_t bytes) {
  check_range(address, bytes, Access::read);
}
void __tsan_write_range(void* address, std::size_t bytes) {
  check_range(address, bytes, Access::write);
}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

// std::atomic and the atomic operations of the C++ library. The order is always the strongest.
#define ISOLUME_ATOMIC_UPDATE(bits, type, name)                                \
  type __tsan_atomic##bits##_##name(volatile type* address, type value, int) { \
    isolume::gpu::emulator::atomic_access(address, sizeof(type));              \
    return __atomic_##name(address, value, __ATOMIC_SEQ_CST);                  \
  }
#define ISOLUME_ATOMICS(bits, type)                                                                          \
  type __tsan_atomic##bits##_load(const volatile type* address, int) {                                       \
    isolume::gpu::emulator::atomic_access(address, sizeof(type));                                            \
    return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                                       \
  }                                                                                                          \
  void __tsan_atomic##bits##_store(volatile type* address, type value, int) {                                \
    isolume::gpu::emulator::atomic_access(address, sizeof(type));                                            \
    __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                                      \
  }                                                                                                          \
  type __tsan_atomic##bits##_exchange(volatile type* address, type value, int) {                             \
    isolume::gpu::emulator::atomic_access(address, sizeof(type));                                            \
    return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                                            \
  }                                                                                                          \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile type* address, type* expected, type value, int, \
                                                    int) {                                                   \
    isolume::gpu::emulator::atomic_access(address, sizeof(type));                                            \
    return __atomic_compare_exchange_n(address, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }                                                                                                          \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile type* address, type* expected, type value, int,   \
                                                  int) {                                                     \
    isolume::gpu::emulator::atomic_access(address, sizeof(type));                                            \
    return __atomic_compare_exchange_n(address, expected, value, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);  \
  }                                                                                                          \
  type __tsan_atomic##bits##_compare_exchange_val(volatile type* address, type expected, type value, int,    \
                                                  int) {                                                     \
    isolume::gpu::emulator::atomic_access(address, sizeof(type));                                            \
    __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);       \
    return expected;                                                                                         \
  }                                                                                                          \
  ISOLUME_ATOMIC_UPDATE(bits, type, fetch_add)                                                               \
  ISOLUME_ATOMIC_UPDATE(bits, type, fetch_sub)                                                               \
  ISOLUME_ATOMIC_UPDATE(bits, type, fetch_and)                                                               \
  ISOLUME_ATOMIC_UPDATE(bits, type, fetch_or)                                                                \
  ISOLUME_ATOMIC_UPDATE(bits, type, fetch_xor)                                                               \
  ISOLUME_ATOMIC_UPDATE(bits, type, fetch_nand)
ISOLUME_ATOMICS(8, std::uint8_t)
ISOLUME_ATOMICS(16, std::uint16_t)
ISOLUME_ATOMICS(32, std::uint32_t)
ISOLUME_ATOMICS(64, std::uint64_t)

void __tsan_atomic_thread_fence(int) {
  isolume::gpu::emulator::fence();
}
void __tsan_atomic_signal_fence(int) {}

// The compiler calls this for misaligned pointers (-fsanitize=alignment, without its library): unlike
// processors, GPUs cannot load and store them.
struct SourceLocation {
  const char* file;
  std::uint32_t line, column;
};
struct TypeDescriptor {
  std::uint16_t kind, info;
  char name[1];  ///< 'quoted', of variable length
};
struct MisalignedAccess {
  SourceLocation place;
  const TypeDescriptor* type;
  unsigned char log_alignment, kind;
};
void __ubsan_handle_type_mismatch_v1(const MisalignedAccess* access, const void* pointer) {
  isolume::gpu::emulator::misaligned(pointer, std::size_t{1} << access->log_alignment, access->type->name,
                                     {access->place.file, static_cast<int>(access->place.line)});
}

}  // extern "C"

#endif
