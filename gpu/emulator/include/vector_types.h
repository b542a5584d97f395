#pragma once

/// CUDA's vector types with CUDA's alignments, and make_*.

#include <type_traits>

#define ISOLUME_VECTOR_TYPES(name, scalar, align2, align4)                   \
  struct name##1 {                                                           \
    scalar x;                                                                \
  };                                                                         \
  struct alignas(align2) name##2 {                                           \
    scalar x, y;                                                             \
  };                                                                         \
  struct name##3 {                                                           \
    scalar x, y, z;                                                          \
  };                                                                         \
  struct alignas(align4) name##4 {                                           \
    scalar x, y, z, w;                                                       \
  };                                                                         \
  constexpr name##1 make_##name##1(scalar x) {                               \
    return {x};                                                              \
  }                                                                          \
  constexpr name##2 make_##name##2(scalar x, scalar y) {                     \
    return {x, y};                                                           \
  }                                                                          \
  constexpr name##3 make_##name##3(scalar x, scalar y, scalar z) {           \
    return {x, y, z};                                                        \
  }                                                                          \
  constexpr name##4 make_##name##4(scalar x, scalar y, scalar z, scalar w) { \
    return {x, y, z, w};                                                     \
  }

ISOLUME_VECTOR_TYPES(char, signed char, 2, 4)
ISOLUME_VECTOR_TYPES(uchar, unsigned char, 2, 4)
ISOLUME_VECTOR_TYPES(short, short, 4, 8)
ISOLUME_VECTOR_TYPES(ushort, unsigned short, 4, 8)
ISOLUME_VECTOR_TYPES(int, int, 8, 16)
ISOLUME_VECTOR_TYPES(uint, unsigned, 8, 16)
ISOLUME_VECTOR_TYPES(longlong, long long, 16, 16)
ISOLUME_VECTOR_TYPES(ulonglong, unsigned long long, 16, 16)
ISOLUME_VECTOR_TYPES(float, float, 8, 16)
ISOLUME_VECTOR_TYPES(double, double, 16, 16)

#undef ISOLUME_VECTOR_TYPES

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};
