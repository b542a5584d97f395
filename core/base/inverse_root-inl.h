// Highway compiles this file once for each instruction set; a usual include guard would let it be seen once.
#if defined(ISOLUME_BASE_INVERSE_ROOT) == defined(HWY_TARGET_TOGGLE)
#ifdef ISOLUME_BASE_INVERSE_ROOT
#undef ISOLUME_BASE_INVERSE_ROOT
#else
#define ISOLUME_BASE_INVERSE_ROOT
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace isolume::HWY_NAMESPACE {

/// 1 / sqrt(squared) to 12 bits or more; `squared` must not be below the least normal number.
template <class Lanes, class Vector>
HWY_INLINE Vector RoughInverseRoot(Lanes d, Vector squared) {
  namespace hn = hwy::HWY_NAMESPACE;
  Vector root = hn::ApproximateReciprocalSqrt(squared);
// On these targets the instruction, or its emulation, gives 8 to 9 bits, elsewhere 12 or more.
#if HWY_ARCH_ARM || HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SCALAR
  root =
      hn::Mul(root, hn::MulAdd(hn::Mul(squared, hn::Set(d, -0.5f)), hn::Mul(root, root), hn::Set(d, 1.5f)));
#else
  (void)d;
#endif
  return root;
}

/// 1 / sqrt(squared) to single precision; `squared` must not be below the least normal number.
template <class Lanes, class Vector>
HWY_INLINE Vector InverseRootOfNormal(Lanes d, Vector squared) {
  namespace hn = hwy::HWY_NAMESPACE;
  const Vector half = hn::Mul(squared, hn::Set(d, -0.5f)), root = RoughInverseRoot(d, squared);
  return hn::Mul(root, hn::MulAdd(half, hn::Mul(root, root), hn::Set(d, 1.5f)));
}

/// 2 / sqrt(squared), which saves one multiplication.
template <class Lanes, class Vector>
HWY_INLINE Vector TwiceInverseRootOfNormal(Lanes d, Vector squared) {
  namespace hn = hwy::HWY_NAMESPACE;
  const Vector root = RoughInverseRoot(d, squared);
  return hn::Mul(root, hn::NegMulAdd(hn::Mul(squared, root), root, hn::Set(d, 3.0f)));
}

/// 1 / sqrt(squared), and 0 below the least normal number, for pairs that are to be left out.
template <class Lanes, class Vector>
HWY_INLINE Vector InverseRoot(Lanes d, Vector squared) {
  namespace hn = hwy::HWY_NAMESPACE;
  constexpr float least = 1.1754944e-38f;
  return hn::IfThenElseZero(hn::Ge(squared, hn::Set(d, least)), InverseRootOfNormal(d, squared));
}

}  // namespace isolume::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
