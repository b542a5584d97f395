// Groups are whole vectors of a fixed length; the scalable instruction sets have none.
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/flames/cloud.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target first.
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "core/base/philox.h"
#include "core/flames/cloud.h"

HWY_BEFORE_NAMESPACE();
namespace isolume::flames::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Words = hn::RebindToUnsigned<Floats>;
using Integers = hn::RebindToSigned<Floats>;
using Vector = hn::Vec<Floats>;
using WordVector = hn::Vec<Words>;

/// A vector of numbers, as variation_formulas-inl.h expects it.
struct Real {
  Vector v;
  HWY_INLINE explicit Real(float value) : v(hn::Set(Floats(), value)) {}
  HWY_INLINE explicit Real(Vector values) : v(values) {}
};
struct Mask {
  hn::Mask<Floats> m;
};

HWY_INLINE Real operator+(Real a, Real b) {
  return Real(hn::Add(a.v, b.v));
}
HWY_INLINE Real operator-(Real a, Real b) {
  return Real(hn::Sub(a.v, b.v));
}
HWY_INLINE Real operator*(Real a, Real b) {
  return Real(hn::Mul(a.v, b.v));
}
HWY_INLINE Real operator/(Real a, Real b) {
  return Real(hn::Div(a.v, b.v));
}
HWY_INLINE Mask operator<(Real a, Real b) {
  return {hn::Lt(a.v, b.v)};
}
HWY_INLINE Real Choose(Mask condition, Real yes, Real no) {
  return Real(hn::IfThenElse(condition.m, yes.v, no.v));
}
HWY_INLINE Real Sqrt(Real x) {
  return Real(hn::Sqrt(x.v));
}
HWY_INLINE Real Floor(Real x) {
  return Real(hn::Floor(x.v));
}
HWY_INLINE Real Trunc(Real x) {
  return Real(hn::Trunc(x.v));
}
HWY_INLINE Real Abs(Real x) {
  return Real(hn::Abs(x.v));
}
HWY_INLINE Real Exp(Real x) {
  const Floats d;
  return Real(hn::Exp(d, hn::Min(hn::Max(x.v, hn::Set(d, -87.0F)), hn::Set(d, 88.0F))));
}
HWY_INLINE Real Log(Real x) {
  return Real(hn::Log(Floats(), x.v));
}

/// Sine and cosine to single precision up to a few thousand; for any number within [-1, 1]. Reduced to a quarter turn
/// by pi/2 in three parts, then their Taylor series up to x^9 and x^10, whose next terms are below 3e-9 there.
HWY_INLINE void SinCos(Real angle, Real& sine, Real& cosine) {
  const Floats d;
  const auto x = angle.v;
  const auto quarters = hn::Round(hn::Mul(x, hn::Set(d, 0.636619772F)));
  auto r = hn::NegMulAdd(quarters, hn::Set(d, 1.5703125F), x);
  r = hn::NegMulAdd(quarters, hn::Set(d, 4.83751297e-4F), r);
  r = hn::NegMulAdd(quarters, hn::Set(d, 7.54979013e-8F), r);
  r = hn::Min(hn::Max(r, hn::Set(d, -0.8F)), hn::Set(d, 0.8F));
  const auto z = hn::Mul(r, r);
  auto s = hn::MulAdd(z, hn::Set(d, 1.0F / 362880), hn::Set(d, -1.0F / 5040));
  s = hn::MulAdd(s, z, hn::Set(d, 1.0F / 120));
  s = hn::MulAdd(s, z, hn::Set(d, -1.0F / 6));
  s = hn::MulAdd(hn::Mul(s, z), r, r);
  auto c = hn::MulAdd(z, hn::Set(d, -1.0F / 3628800), hn::Set(d, 1.0F / 40320));
  c = hn::MulAdd(c, z, hn::Set(d, -1.0F / 720));
  c = hn::MulAdd(c, z, hn::Set(d, 1.0F / 24));
  c = hn::MulAdd(c, z, hn::Set(d, -0.5F));
  c = hn::MulAdd(c, z, hn::Set(d, 1.0F));
  const Integers di;
  const auto quarter = hn::ConvertTo(di, quarters);
  const auto one = hn::Set(di, 1), two = hn::Set(di, 2);
  const auto swapped =
      hn::MaskFromVec(hn::BitCast(d, hn::VecFromMask(di, hn::Eq(hn::And(quarter, one), one))));
  const auto sine_sign = hn::ShiftLeft<30>(hn::And(quarter, two));
  const auto cosine_sign = hn::ShiftLeft<30>(hn::And(hn::Add(quarter, one), two));
  sine.v = hn::Xor(hn::IfThenElse(swapped, c, s), hn::BitCast(d, sine_sign));
  cosine.v = hn::Xor(hn::IfThenElse(swapped, s, c), hn::BitCast(d, cosine_sign));
}

/// atan2(y, x), 0 at the origin.
HWY_INLINE Real Atan2(Real y, Real x) {
  const Floats d;
  const auto across = hn::Abs(x.v), up = hn::Abs(y.v);
  const auto larger = hn::Max(hn::Max(across, up), hn::Set(d, 1e-37F));
  auto angle = hn::Atan(d, hn::Div(hn::Min(across, up), larger));
  angle = hn::IfThenElse(hn::Gt(up, across), hn::Sub(hn::Set(d, 1.57079633F), angle), angle);
  angle = hn::IfThenElse(hn::Lt(x.v, hn::Zero(d)), hn::Sub(hn::Set(d, 3.14159265F), angle), angle);
  return Real(hn::CopySign(angle, y.v));
}

#define ISOLUME_FLAMES_INLINE HWY_INLINE
#include "core/flames/variation_formulas-inl.h"
#undef ISOLUME_FLAMES_INLINE

/// High halves of the products of words.
HWY_INLINE WordVector HighProduct(WordVector a, WordVector b) {
  const Words d;
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(d, static_cast<std::uint32_t>(std::uint64_t{hn::GetLane(a)} * hn::GetLane(b) >> 32));
#else
  const hn::RepartitionToWide<Words> wide;
  const auto even = hn::MulEven(a, b);
  const auto odd = hn::MulEven(hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(wide, a))),
                               hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(wide, b))));
  const auto high = hn::Set(wide, 0xffffffff00000000ULL);
  return hn::BitCast(d, hn::Or(hn::ShiftRight<32>(even), hn::And(odd, high)));
#endif
}

/// Random numbers of consecutive slots: isolume::philox (core/base/philox.h), lane by lane.
class SlotRandom {
 public:
  HWY_INLINE SlotRandom(const Game& game, const Cloud& cloud, std::uint32_t first_slot, std::uint32_t draw)
      : seed_(game.seed),
        cloud_(cloud.number),
        draw_(draw),
        item_(hn::Iota(Words(), cloud.round * words_per_round + first_slot)) {}

  /// Uniform in [0, 1), 24 bits.
  HWY_INLINE Real Next() {
    if (left_ == 0) Draw();
    --left_;
    const Floats d;
    const auto word = hn::Load(Words(), words_[3 - left_]);
    return Real(
        hn::Mul(hn::ConvertTo(d, hn::BitCast(Integers(), hn::ShiftRight<8>(word))), hn::Set(d, 0x1p-24F)));
  }

 private:
  HWY_INLINE void Draw() {
    const Words d;
    auto c0 = hn::Set(d, draw_++), c1 = item_, c2 = hn::Set(d, static_cast<std::uint32_t>(cloud_)),
         c3 = hn::Set(d, static_cast<std::uint32_t>(cloud_ >> 32));
    auto k0 = static_cast<std::uint32_t>(seed_), k1 = static_cast<std::uint32_t>(seed_ >> 32);
    const auto first = hn::Set(d, 0xD2511F53U), second = hn::Set(d, 0xCD9E8D57U);
    for (int round = 0; round < 10; ++round) {
      const auto high_first = HighProduct(c0, first), high_second = HighProduct(c2, second);
      const auto low_first = hn::Mul(c0, first), low_second = hn::Mul(c2, second);
      c0 = hn::Xor(hn::Xor(high_second, c1), hn::Set(d, k0));
      c1 = low_second;
      c2 = hn::Xor(hn::Xor(high_first, c3), hn::Set(d, k1));
      c3 = low_first;
      k0 += 0x9E3779B9U;
      k1 += 0xBB67AE85U;
    }
    hn::Store(c0, d, words_[0]);
    hn::Store(c1, d, words_[1]);
    hn::Store(c2, d, words_[2]);
    hn::Store(c3, d, words_[3]);
    left_ = 4;
  }

  std::uint64_t seed_, cloud_;
  std::uint32_t draw_;
  WordVector item_;
  int left_ = 0;
  HWY_ALIGN std::uint32_t words_[4][HWY_MAX_BYTES / 4];
};

HWY_INLINE std::size_t LaneCount() {
  return hn::Lanes(Floats());
}

HWY_INLINE void Restart(SlotRandom& random, Real& x, Real& y) {
  x = Real(2) * random.Next() - Real(1);
  y = Real(2) * random.Next() - Real(1);
}

void BeginCloud(const Game& game, Cloud& cloud) {
  const Floats d;
  for (std::size_t slot = 0; slot < cloud_points; slot += LaneCount()) {
    SlotRandom random(game, cloud, static_cast<std::uint32_t>(slot), first_draw);
    Real x(0), y(0);
    Restart(random, x, y);
    auto& points = cloud.points[0];
    hn::Store(x.v, d, &points.x[slot]);
    hn::Store(y.v, d, &points.y[slot]);
    hn::Store(random.Next().v, d, &points.colour[slot]);
  }
}

/// Pixels and palette indices of one vector of points.
HWY_INLINE void Plot(const Game& game, float plotted, SlotRandom& random, Real x, Real y, Real colour,
                     std::uint32_t* pixels, std::uint8_t* colours) {
  const Floats d;
  const Integers di;
  const auto& view = game.view;
  const float* m = view.to_pixels;
  const Real column = Real(m[0]) * x + Real(m[1]) * y + Real(m[2]);
  const Real row = Real(m[3]) * x + Real(m[4]) * y + Real(m[5]);
  const auto zero = hn::Zero(d);
  auto inside =
      hn::And(hn::And(hn::Ge(column.v, zero), hn::Lt(column.v, hn::Set(d, static_cast<float>(view.width)))),
              hn::And(hn::Ge(row.v, zero), hn::Lt(row.v, hn::Set(d, static_cast<float>(view.height)))));
  if (plotted < 1) inside = hn::And(inside, hn::Lt(random.Next().v, hn::Set(d, plotted)));
  // Chosen before they are converted: a conversion of a large number is undefined.
  const auto whole_column = hn::ConvertTo(di, hn::IfThenElseZero(inside, column.v));
  const auto whole_row = hn::ConvertTo(di, hn::IfThenElseZero(inside, row.v));
  const auto index = hn::Add(hn::Mul(whole_row, hn::Set(di, view.width)), whole_column);
  const auto outside = hn::Set(di, static_cast<std::int32_t>(game.pixel_count()));
  const auto pixel = hn::IfThenElse(hn::RebindMask(di, inside), index, outside);
  hn::StoreU(hn::BitCast(Words(), pixel), Words(), pixels);
  const auto shade = hn::Min(hn::Max(hn::Mul(colour.v, hn::Set(d, 256.0F)), zero), hn::Set(d, 255.0F));
  const hn::Rebind<std::uint8_t, Floats> bytes;
  hn::StoreU(hn::DemoteTo(bytes, hn::ConvertTo(di, shade)), bytes, colours);
}

void PlayRound(const Game& game, Cloud& cloud, std::uint32_t* pixels, std::uint8_t* colours) {
  const Floats d;
  const Integers di;
  const auto words =
      philox({0, cloud.round * words_per_round + cloud_points, static_cast<std::uint32_t>(cloud.number),
              static_cast<std::uint32_t>(cloud.number >> 32)},
             {static_cast<std::uint32_t>(game.seed), static_cast<std::uint32_t>(game.seed >> 32)});
  const auto factor = hn::Set(di, static_cast<std::int32_t>((words[0] | 1U) % cloud_points));
  const auto shift = hn::Set(di, static_cast<std::int32_t>(words[1] % cloud_points));
  const float offset = static_cast<float>(words[2] >> 16) * 0x1p-16F;
  const auto& from = cloud.points[cloud.round % 2];
  auto& to = cloud.points[(cloud.round + 1) % 2];
  std::size_t chosen = 0;
  for (int group = 0; group < cloud_groups; ++group) {
    while (chosen + 1 < game.functions.size() &&
           game.functions[chosen].groups_before_end <= static_cast<float>(group) + offset)
      ++chosen;
    const GameFunction& function = game.functions[chosen];
    const std::size_t first = static_cast<std::size_t>(group) * group_points;
    for (std::size_t slot = first; slot < first + group_points; slot += LaneCount()) {
      SlotRandom random(game, cloud, static_cast<std::uint32_t>(slot), 0);
      const auto source =
          hn::And(hn::Add(hn::Mul(hn::Iota(di, static_cast<std::int32_t>(slot)), factor), shift),
                  hn::Set(di, cloud_points - 1));
      Real x(hn::GatherIndex(d, from.x.data(), source)), y(hn::GatherIndex(d, from.y.data(), source));
      Real colour(hn::GatherIndex(d, from.colour.data(), source));
      Apply(function, game.terms.data(), random, x, y);
      const auto limit = hn::Set(d, escaped_at);
      const auto kept = hn::And(hn::Lt(hn::Abs(x.v), limit), hn::Lt(hn::Abs(y.v), limit));  // false for NaN
      if (!hn::AllTrue(d, kept)) {
        SlotRandom restart(game, cloud, static_cast<std::uint32_t>(slot), restart_draw);
        Real new_x(0), new_y(0);
        Restart(restart, new_x, new_y);
        x.v = hn::IfThenElse(kept, x.v, new_x.v);
        y.v = hn::IfThenElse(kept, y.v, new_y.v);
      }
      colour = Real(function.colour_kept) * colour + Real(function.colour_added);
      hn::Store(x.v, d, &to.x[slot]);
      hn::Store(y.v, d, &to.y[slot]);
      hn::Store(colour.v, d, &to.colour[slot]);
      if (pixels == nullptr) continue;
      float plotted = function.plotted;
      if (!game.final_transform.empty()) {
        const GameFunction& last = game.final_transform.front();
        Apply(last, game.terms.data(), random, x, y);
        colour = Real(last.colour_kept) * colour + Real(last.colour_added);
        plotted *= last.plotted;
      }
      Plot(game, plotted, random, x, y, colour, pixels + slot, colours + slot);
    }
  }
  ++cloud.round;
}

void ApplyFunction(const Game& game, std::size_t function, Cloud::Points& points) {
  const Floats d;
  const Cloud cloud{};
  for (std::size_t slot = 0; slot < cloud_points; slot += LaneCount()) {
    SlotRandom random(game, cloud, static_cast<std::uint32_t>(slot), 0);
    Real x(hn::Load(d, &points.x[slot])), y(hn::Load(d, &points.y[slot]));
    Apply(game.functions[function], game.terms.data(), random, x, y);
    hn::Store(x.v, d, &points.x[slot]);
    hn::Store(y.v, d, &points.y[slot]);
  }
}

const char* Target() {
  return hwy::TargetName(HWY_TARGET);
}

}  // namespace isolume::flames::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace isolume::flames {

HWY_EXPORT(BeginCloud);
HWY_EXPORT(PlayRound);
HWY_EXPORT(ApplyFunction);
HWY_EXPORT(Target);

void begin_cloud(const Game& game, std::uint64_t number, Cloud& cloud) {
  cloud.number = number;
  cloud.round = 0;
  HWY_DYNAMIC_DISPATCH(BeginCloud)(game, cloud);
}

void play_rounds(const Game& game, Cloud& cloud, int rounds, Hits* hits) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(rounds); ++i) {
    HWY_DYNAMIC_DISPATCH(PlayRound)
    (game, cloud, hits == nullptr ? nullptr : &hits->pixel[i * cloud_points],
     hits == nullptr ? nullptr : &hits->colour[i * cloud_points]);
  }
}

void apply_function(const Game& game, std::size_t function, Cloud::Points& points) {
  HWY_DYNAMIC_DISPATCH(ApplyFunction)(game, function, points);
}

const char* instruction_set() {
  return HWY_DYNAMIC_DISPATCH(Target)();
}

}  // namespace isolume::flames
#endif
