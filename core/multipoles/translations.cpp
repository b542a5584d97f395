#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/multipoles/translations.cpp"
#include <array>
#include <utility>

#include <hwy/foreach_target.h>
// foreach_target must come first.
#include <hwy/highway.h>

#include "core/multipoles/translations.h"

HWY_BEFORE_NAMESPACE();
namespace isolume::multipoles::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Each lane is one translated expansion, or one point.
template <class Real>
using LanesOf = hn::CappedTag<Real, 64 / sizeof(Real)>;
template <class Real>
using VectorOf = hn::Vec<LanesOf<Real>>;

template <class Real>
HWY_INLINE VectorOf<Real> At(const Real* place) {
  return hn::Load(LanesOf<Real>(), place);
}
template <class Real>
HWY_INLINE void Put(VectorOf<Real> value, Real* place) {
  hn::Store(value, LanesOf<Real>(), place);
}
template <class Real>
HWY_INLINE std::size_t WidthOf() {
  return hn::Lanes(LanesOf<Real>());
}

using Lanes = LanesOf<double>;
using Vector = VectorOf<double>;
HWY_INLINE Vector Number(double value) {
  return hn::Set(Lanes(), value);
}
HWY_INLINE std::size_t Width() {
  return WidthOf<double>();
}

/// The factors exp(i m angle) for m = 0..order; the sign of the angle is chosen where they are used.
template <class Real>
class Turns {
  using Vector = VectorOf<Real>;

 public:
  HWY_INLINE Turns(Vector cosine, Vector sine, int order, Real* memory) : memory_(memory) {
    Vector re = hn::Set(LanesOf<Real>(), Real{1}), im = hn::Zero(LanesOf<Real>());
    for (int m = 0; m <= order; ++m) {
      Put(re, memory_ + Place(m));
      Put(im, memory_ + Place(m) + WidthOf<Real>());
      const Vector next = hn::NegMulAdd(im, sine, hn::Mul(re, cosine));
      im = hn::MulAdd(re, sine, hn::Mul(im, cosine));
      re = next;
    }
  }
  HWY_INLINE void Forwards(int m, Vector& re, Vector& im) const {
    const Vector c = At(memory_ + Place(m)), s = At(memory_ + Place(m) + WidthOf<Real>()), before = re;
    re = hn::NegMulAdd(im, s, hn::Mul(re, c));
    im = hn::MulAdd(before, s, hn::Mul(im, c));
  }
  HWY_INLINE void Backwards(int m, Vector& re, Vector& im) const {
    const Vector c = At(memory_ + Place(m)), s = At(memory_ + Place(m) + WidthOf<Real>()), before = re;
    re = hn::MulAdd(im, s, hn::Mul(re, c));
    im = hn::NegMulAdd(before, s, hn::Mul(im, c));
  }

 private:
  static HWY_INLINE std::size_t Place(int m) { return 2 * static_cast<std::size_t>(m) * WidthOf<Real>(); }
  Real* memory_;
};

/// The parts of the workspace. Arrays of terms hold one vector for each: real parts, then imaginary parts.
template <class Real>
struct Memory {
  Real *input, *along, *moved, *sums, *degree, *turned, *first_turns, *second_turns, *powers;

  HWY_INLINE Memory(const Harmonics& harmonics, Workspace& workspace) {
    const std::size_t width = WidthOf<Real>(), terms = harmonics.size() * width,
                      line = (static_cast<std::size_t>(harmonics.order()) + 1) * width;
    input = workspace.data<Real>();
    along = input + terms;
    moved = along + terms;
    sums = moved + terms;
    degree = sums + terms;
    turned = degree + 2 * line;
    first_turns = turned + 2 * line;
    second_turns = first_turns + 2 * line;
    powers = second_turns + 2 * line;
  }
};

/// Writes rows of (table) x (in), for every second m from `first` on: the table has the numbers of all rows
/// for each column. `places` gives the destination of each m, in vectors. Returns the rest of the table.
template <int rows, int columns, class Real>
HWY_INLINE const Real* Rows(const Real* table, const Real* in, int first, const std::size_t* places,
                            Real* out) {
  const LanesOf<Real> d;
  const std::size_t width = hn::Lanes(d);
  VectorOf<Real> sums[rows];
  for (int row = 0; row < rows; ++row) sums[row] = hn::Zero(d);
  for (int column = 0; column < columns; ++column, in += 2 * width, table += rows) {
    const auto value = At(in);
#pragma GCC unroll 8
    for (int row = 0; row < rows; ++row) sums[row] = hn::MulAdd(hn::Set(d, table[row]), value, sums[row]);
  }
  for (int row = 0; row < rows; ++row) Put<Real>(sums[row], out + places[first + 2 * row] * width);
  return table;
}
template <int rows, int columns, class Real>
HWY_INLINE const Real* AllRows(const Real* table, const Real* in, int first, const std::size_t* places,
                               Real* out) {
  if constexpr (rows > 0) {
    constexpr int together = rows_together(rows, exchange_rows);
    table = Rows<together, columns>(table, in, first, places, out);
    return AllRows<rows - together, columns>(table, in, first + 2 * together, places, out);
  }
  return table;
}
template <int degree, int least, int parity, class Real>
HWY_INLINE const Real* RowsOfParity(const Real* table, const Real* in, const std::size_t* places, Real* out) {
  constexpr int row = least + (least + parity) % 2, column = least + (degree + parity) % 2;
  constexpr int rows = (degree - row + 2) / 2, columns = (degree - column + 2) / 2;
  return AllRows<rows, columns>(table, in + static_cast<std::size_t>(column) * WidthOf<Real>(), row, places,
                                out);
}
/// Exchanges x and z for one degree: real parts and imaginary parts, each from m = 0 on.
template <class Real, int degree>
HWY_NOINLINE const Real* ExchangeDegree(const Real* table, const Real* re, const Real* im,
                                        const std::size_t* places, Real* out_re, Real* out_im) {
  table = RowsOfParity<degree, 0, 0>(table, re, places, out_re);
  table = RowsOfParity<degree, 0, 1>(table, re, places, out_re);
  table = RowsOfParity<degree, 1, 0>(table, im, places, out_im);
  return RowsOfParity<degree, 1, 1>(table, im, places, out_im);
}
template <class Real>
using Exchange = const Real* (*)(const Real*, const Real*, const Real*, const std::size_t*, Real*, Real*);
template <class Real, int... degrees>
constexpr std::array<Exchange<Real>, sizeof...(degrees)> Exchanges(std::integer_sequence<int, degrees...>) {
  return {ExchangeDegree<Real, degrees>...};
}
template <class Real>
constexpr auto exchanges =
    Exchanges<Real>(std::make_integer_sequence<int, Harmonics::highest_order<Real> + 1>());

/// Translates expansions lane by lane along the z axis: rotate about z until the translation has no x
/// component, exchange x and z, rotate about z until the translation is along x, and exchange again.
template <class Real>
class ByAxis {
  using Vector = VectorOf<Real>;

 public:
  HWY_INLINE ByAxis(const Harmonics& harmonics, const Memory<Real>& memory, Vector x, Vector y, Vector z)
      : harmonics_(harmonics), memory_(memory) {
    const Vector zero = hn::Zero(LanesOf<Real>()), one = hn::Set(LanesOf<Real>(), Real{1});
    const Vector across_squared = hn::MulAdd(x, x, hn::Mul(y, y));
    const Vector across = hn::Sqrt(across_squared);
    distance = hn::Sqrt(hn::MulAdd(z, z, across_squared));
    const auto along_z = hn::Eq(across, zero), nowhere = hn::Eq(distance, zero);
    const Vector inverse_across = hn::Div(one, hn::IfThenElse(along_z, one, across));
    const Vector inverse = hn::Div(one, hn::IfThenElse(nowhere, one, distance));
    first_cosine_ = hn::IfThenElse(along_z, one, hn::Mul(y, inverse_across));
    first_sine_ = hn::Mul(x, inverse_across);
    second_cosine_ = hn::IfThenElse(nowhere, one, hn::Mul(z, inverse));
    second_sine_ = hn::Mul(across, inverse);
  }

  Vector distance;

  /// Multiplies degree n by scale^n, and writes to `along`, where terms of one m are contiguous.
  HWY_INLINE void ToAxis(const Real* in, Vector scale) const {
    const std::size_t width = WidthOf<Real>(), terms = harmonics_.terms();
    const Turns<Real> first = First(), second = Second();
    const Real* table = harmonics_.exchange<Real>().data();
    Vector power = hn::Set(LanesOf<Real>(), Real{1});
    for (int n = 0; n <= harmonics_.order(); ++n) {
      Real* re = memory_.degree;
      Real* im = re + Line();
      const Real* from = in + Harmonics::index(n, 0) * width;
      for (int m = 0; m <= n; ++m, from += width, re += width, im += width) {
        Vector a = hn::Mul(power, At(from)), b = hn::Mul(power, At(from + terms * width));
        first.Forwards(m, a, b);
        Put<Real>(a, re);
        Put<Real>(b, im);
      }
      Exchanged(table, n, memory_.degree, memory_.degree + Line(), memory_.turned);
      Turn(n, [&](int m, Vector& a, Vector& b) HWY_ATTR { second.Backwards(m, a, b); });
      Real* to = memory_.along + static_cast<std::size_t>(n) * width;
      table =
          exchanges<Real>[static_cast<std::size_t>(n)](table, memory_.turned, memory_.turned + Line(),
                                                       harmonics_.columns().data(), to, to + terms * width);
      power = hn::Mul(power, scale);
    }
  }
  /// Reads `moved`, in the order of terms, and adds to `out`: degree n times factor x scale^n.
  HWY_INLINE void FromAxis(Vector scale, Vector factor, Real* out) const {
    const std::size_t width = WidthOf<Real>(), terms = harmonics_.terms();
    const Turns<Real> first = First(), second = Second();
    const Real* table = harmonics_.exchange<Real>().data();
    for (int n = 0; n <= harmonics_.order(); ++n) {
      const Real* in = memory_.moved + Harmonics::index(n, 0) * width;
      Exchanged(table, n, in, in + terms * width, memory_.turned);
      Turn(n, [&](int m, Vector& a, Vector& b) HWY_ATTR { second.Forwards(m, a, b); });
      table = Exchanged(table, n, memory_.turned, memory_.turned + Line(), memory_.degree);
      Real* to = out + Harmonics::index(n, 0) * width;
      Put<Real>(hn::MulAdd(factor, At(memory_.degree), At(to)), to);
      for (int m = 1; m <= n; ++m) {
        to += width;
        Vector a = At(memory_.degree + static_cast<std::size_t>(m) * width);
        Vector b = At(memory_.degree + static_cast<std::size_t>(m) * width + Line());
        first.Backwards(m, a, b);
        Put<Real>(hn::MulAdd(factor, a, At(to)), to);
        Put<Real>(hn::MulAdd(factor, b, At(to + terms * width)), to + terms * width);
      }
      factor = hn::Mul(factor, scale);
    }
  }

 private:
  HWY_INLINE Turns<Real> First() const {
    return {first_cosine_, first_sine_, harmonics_.order(), memory_.first_turns};
  }
  HWY_INLINE Turns<Real> Second() const {
    return {second_cosine_, second_sine_, harmonics_.order(), memory_.second_turns};
  }
  HWY_INLINE std::size_t Line() const {
    return (static_cast<std::size_t>(harmonics_.order()) + 1) * WidthOf<Real>();
  }
  HWY_INLINE const Real* Exchanged(const Real* table, int n, const Real* re, const Real* im, Real* to) const {
    return exchanges<Real>[static_cast<std::size_t>(n)](table, re, im, harmonics_.lines().data(), to,
                                                        to + Line());
  }
  template <class Act>
  HWY_INLINE void Turn(int n, const Act& act) const {
    Real* re = memory_.turned + WidthOf<Real>();
    for (int m = 1; m <= n; ++m, re += WidthOf<Real>()) {
      Vector a = At(re), b = At(re + Line());
      act(m, a, b);
      Put<Real>(a, re);
      Put<Real>(b, re + Line());
    }
  }

  const Harmonics& harmonics_;
  const Memory<Real>& memory_;
  Vector first_cosine_, first_sine_, second_cosine_, second_sine_;
};

/// Multiplies rows of the table with the real and imaginary parts, and writes the terms of degrees from `degree` on.
/// Terms of m = 0 have no imaginary parts.
template <int rows, bool with_im, class Real>
HWY_INLINE const Real* FarRows(const Real* table, const Real* re, const Real* im, int columns, int degree,
                               int m, Real* to, Real* to_im) {
  const LanesOf<Real> d;
  const std::size_t width = hn::Lanes(d);
  VectorOf<Real> a[rows], b[rows];
  for (int row = 0; row < rows; ++row) a[row] = b[row] = hn::Zero(d);
  for (int column = 0; column < columns; ++column, re += width, im += width, table += rows) {
    const auto x = At(re), y = with_im ? At(im) : hn::Zero(d);
#pragma GCC unroll 8
    for (int row = 0; row < rows; ++row) {
      const auto number = hn::Set(d, table[row]);
      a[row] = hn::MulAdd(number, x, a[row]);
      if (with_im) b[row] = hn::MulAdd(number, y, b[row]);
    }
  }
  for (int row = 0; row < rows; ++row) {
    const std::size_t place = Harmonics::index(degree + row, m) * width;
    Put<Real>(a[row], to + place);
    if (with_im) Put<Real>(b[row], to_im + place);
  }
  return table;
}
template <int rows, class Real>
HWY_INLINE const Real* FarRows(const Real* table, const Real* re, const Real* im, int columns, int degree,
                               int m, Real* to, Real* to_im) {
  return m > 0 ? FarRows<rows, true>(table, re, im, columns, degree, m, to, to_im)
               : FarRows<rows, false>(table, re, im, columns, degree, m, to, to_im);
}
/// M2L along z: reads `along`, writes `moved`.
template <class Real>
HWY_INLINE void FarAlongAxis(const Harmonics& harmonics, const Memory<Real>& memory) {
  const int order = harmonics.order();
  const std::size_t imaginary = harmonics.terms() * WidthOf<Real>();
  const Real* table = harmonics.far<Real>().data();
  for (int m = 0; m <= order; ++m) {
    const Real* re = memory.along + harmonics.column(m, m) * WidthOf<Real>();
    const Real* im = re + imaginary;
    Real *to = memory.moved, *to_im = to + imaginary;
    for (int k = m; k <= order;) {
      const int columns = order + 1 - m, together = rows_together(order + 1 - k, far_rows);
      switch (together) {
        case 1:
          table = FarRows<1>(table, re, im, columns, k, m, to, to_im);
          break;
        case 2:
          table = FarRows<2>(table, re, im, columns, k, m, to, to_im);
          break;
        case 3:
          table = FarRows<3>(table, re, im, columns, k, m, to, to_im);
          break;
        case 4:
          table = FarRows<4>(table, re, im, columns, k, m, to, to_im);
          break;
        case 5:
          table = FarRows<5>(table, re, im, columns, k, m, to, to_im);
          break;
        default:
          table = FarRows<6>(table, re, im, columns, k, m, to, to_im);
      }
      k += together;
    }
  }
}

/// M2M and L2L along z: reads `along`, writes `moved`. Each term adds to those of higher degree (moments) or
/// lower degree (fields), times the power of `step` given by the difference.
HWY_INLINE void ShiftAlongAxis(const Harmonics& harmonics, const Memory<double>& memory, Vector step,
                               bool upwards) {
  const int order = harmonics.order();
  const std::size_t width = Width(), imaginary = harmonics.terms() * width;
  Vector power = Number(1);
  for (int n = 0; n <= order; ++n) {
    Put<double>(power, memory.powers + static_cast<std::size_t>(n) * width);
    power = hn::Mul(power, step);
  }
  for (std::size_t i = 0; i < 2 * imaginary; i += width) Put<double>(Number(0), memory.moved + i);
  const double* table = harmonics.shift().data();
  for (int m = 0; m <= order; ++m) {
    for (int n = m; n <= order; ++n) {
      for (int k = m; k <= n; ++k, ++table) {
        const double* in = memory.along + harmonics.column(upwards ? k : n, m) * width;
        double* to = memory.moved + Harmonics::index(upwards ? n : k, m) * width;
        const Vector factor =
            hn::Mul(Number(*table), At(memory.powers + static_cast<std::size_t>(n - k) * width));
        Put<double>(hn::MulAdd(factor, At(in), At(to)), to);
        if (m > 0) Put<double>(hn::MulAdd(factor, At(in + imaginary), At(to + imaginary)), to + imaginary);
      }
    }
  }
}

/// A batch of translations, one for each lane; unused lanes have a zero translation.
template <class Real>
struct Ways {
  static constexpr std::size_t most = 64 / sizeof(Real);
  HWY_ALIGN Real x[most] = {}, y[most] = {}, z[most] = {}, unit[most] = {}, weight[most] = {};

  HWY_INLINE void Set(std::size_t lane, const Eigen::Vector3d& way, double length) {
    x[lane] = static_cast<Real>(way.x());
    y[lane] = static_cast<Real>(way.y());
    z[lane] = static_cast<Real>(way.z());
    unit[lane] = static_cast<Real>(length);
    weight[lane] = 1;
  }
};

template <class Real>
HWY_INLINE void Clear(const Harmonics& harmonics, Real* terms) {
  const LanesOf<Real> d;
  for (std::size_t i = 0; i < harmonics.size(); ++i) hn::Store(hn::Zero(d), d, terms + i * hn::Lanes(d));
}
template <class Real>
HWY_INLINE void AddLanes(const Harmonics& harmonics, const Real* terms, double* to) {
  const LanesOf<Real> d;
  for (std::size_t i = 0; i < harmonics.size(); ++i) {
    to[i] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, At(terms + i * hn::Lanes(d)))));
  }
}
template <class Real>
HWY_INLINE void Spread(const Harmonics& harmonics, std::span<const Expansion<Real>> from, Real* to) {
  const std::size_t width = WidthOf<Real>(), size = harmonics.size();
  const Real* values[Ways<Real>::most];
  for (std::size_t lane = 0; lane < width; ++lane) values[lane] = from[lane < from.size() ? lane : 0].values;
  for (std::size_t i = 0; i < size; ++i, to += width) {
    for (std::size_t lane = 0; lane < width; ++lane) to[lane] = values[lane][i];
  }
}

template <class Real>
HWY_INLINE void AddFar(const Harmonics& harmonics, std::span<const Expansion<Real>> sources, double unit,
                       double* field, Workspace& workspace) {
  const LanesOf<Real> d;
  const std::size_t width = hn::Lanes(d);
  const Memory<Real> memory(harmonics, workspace);
  Clear(harmonics, memory.sums);
  for (std::size_t first = 0; first < sources.size(); first += width) {
    const auto batch = sources.subspan(first, std::min(width, sources.size() - first));
    Ways<Real> ways;
    for (std::size_t lane = 0; lane < width; ++lane) {
      const auto& source = batch[lane < batch.size() ? lane : 0];
      ways.Set(lane, source.to, source.unit);
      if (lane >= batch.size()) ways.weight[lane] = 0;
    }
    Spread(harmonics, batch, memory.input);
    const ByAxis<Real> axis(harmonics, memory, At(ways.x), At(ways.y), At(ways.z));
    const auto inverse = hn::Div(hn::Set(d, Real{1}), axis.distance);
    axis.ToAxis(memory.input, hn::Mul(At(ways.unit), inverse));
    FarAlongAxis(harmonics, memory);
    axis.FromAxis(hn::Mul(hn::Set(d, static_cast<Real>(unit)), inverse), hn::Mul(At(ways.weight), inverse),
                  memory.sums);
  }
  AddLanes(harmonics, memory.sums, field);
}
void AddFarDoubles(const Harmonics& harmonics, std::span<const Expansion<double>> sources, double unit,
                   double* field, Workspace& workspace) {
  AddFar<double>(harmonics, sources, unit, field, workspace);
}
void AddFarSingles(const Harmonics& harmonics, std::span<const Expansion<float>> sources, double unit,
                   double* field, Workspace& workspace) {
  AddFar<float>(harmonics, sources, unit, field, workspace);
}

void SumMoments(const Harmonics& harmonics, std::span<const Expansion<double>> parts, double unit,
                double* moments, Workspace& workspace) {
  const Memory<double> memory(harmonics, workspace);
  std::fill_n(moments, harmonics.size(), 0.0);
  Clear(harmonics, memory.sums);
  for (std::size_t first = 0; first < parts.size(); first += Width()) {
    const auto batch = parts.subspan(first, std::min(Width(), parts.size() - first));
    Ways<double> ways;
    // Moments are translated by the reverse vector, from the new centre to the old one.
    for (std::size_t lane = 0; lane < batch.size(); ++lane) {
      ways.Set(lane, -batch[lane].to / unit, batch[lane].unit / unit);
    }
    Spread<double>(harmonics, batch, memory.input);
    const ByAxis<double> axis(harmonics, memory, At(ways.x), At(ways.y), At(ways.z));
    axis.ToAxis(memory.input, At(ways.unit));
    ShiftAlongAxis(harmonics, memory, axis.distance, true);
    axis.FromAxis(Number(1), At(ways.weight), memory.sums);
  }
  AddLanes(harmonics, memory.sums, moments);
}

void MoveField(const Harmonics& harmonics, const double* field, double unit,
               std::span<const ExpansionPlace> parts, Workspace& workspace) {
  const Memory<double> memory(harmonics, workspace);
  const std::size_t width = Width(), size = harmonics.size();
  for (std::size_t i = 0; i < size; ++i) Put<double>(Number(field[i]), memory.input + i * width);
  for (std::size_t first = 0; first < parts.size(); first += width) {
    const auto batch = parts.subspan(first, std::min(width, parts.size() - first));
    Ways<double> ways;
    for (std::size_t lane = 0; lane < batch.size(); ++lane) {
      ways.Set(lane, batch[lane].from / unit, batch[lane].unit / unit);
    }
    const ByAxis<double> axis(harmonics, memory, At(ways.x), At(ways.y), At(ways.z));
    axis.ToAxis(memory.input, Number(1));
    ShiftAlongAxis(harmonics, memory, axis.distance, false);
    Clear(harmonics, memory.sums);
    axis.FromAxis(At(ways.unit), Number(1), memory.sums);
    for (std::size_t lane = 0; lane < batch.size(); ++lane) {
      for (std::size_t i = 0; i < size; ++i) batch[lane].values[i] = memory.sums[i * width + lane];
    }
  }
}

/// Points relative to a centre, one for each lane; unused lanes are at the centre and have no charge.
struct SomePoints {
  HWY_ALIGN double values[4][8] = {};
  Vector x, y, z, charge;

  HWY_INLINE SomePoints(const PointSpan& points, std::uint32_t first, const Eigen::Vector3d& centre,
                        double unit) {
    const std::uint32_t end = std::min(points.count, first + static_cast<std::uint32_t>(Width()));
    for (std::uint32_t i = first; i < end; ++i) {
      const std::uint32_t from = points.begin + i, lane = i - first;
      values[0][lane] = (points.tree.x[from] - centre.x()) / unit;
      values[1][lane] = (points.tree.y[from] - centre.y()) / unit;
      values[2][lane] = (points.tree.z[from] - centre.z()) / unit;
      values[3][lane] = points.tree.charge[from];
    }
    x = At(values[0]);
    y = At(values[1]);
    z = At(values[2]);
    charge = At(values[3]);
  }
};

/// Calls `act` for each harmonic X / norm at a point, times `factor`.
template <class Act>
HWY_INLINE void ForEachHarmonic(const Harmonics& harmonics, const SomePoints& at, Vector factor,
                                const Act& act) {
  const double* recursion = harmonics.recursion().data();
  const Vector squared = hn::MulAdd(at.x, at.x, hn::MulAdd(at.y, at.y, hn::Mul(at.z, at.z)));
  Vector first_re = factor, first_im = Number(0);
  for (int m = 0; m <= harmonics.order(); ++m) {
    if (m > 0) {
      const Vector half = Number(0.5 / m), x = hn::Mul(half, at.x), y = hn::Mul(half, at.y),
                   before = first_re;
      first_re = hn::NegMulAdd(first_im, y, hn::Mul(first_re, x));
      first_im = hn::MulAdd(before, y, hn::Mul(first_im, x));
    }
    Vector re = first_re, im = first_im, last_re = Number(0), last_im = Number(0);
    act(m, m, re, im);
    for (int n = m + 1; n <= harmonics.order(); ++n, recursion += 2) {
      const Vector a = hn::Mul(Number(recursion[0]), at.z), b = hn::Mul(Number(recursion[1]), squared);
      const Vector next_re = hn::MulSub(a, re, hn::Mul(b, last_re)),
                   next_im = hn::MulSub(a, im, hn::Mul(b, last_im));
      last_re = re;
      last_im = im;
      re = next_re;
      im = next_im;
      act(n, m, re, im);
    }
  }
}

void MomentsOfPoints(const Harmonics& harmonics, const PointSpan& points, const Eigen::Vector3d& centre,
                     double unit, double* moments, Workspace& workspace) {
  const Memory<double> memory(harmonics, workspace);
  const std::size_t width = Width(), terms = harmonics.terms();
  Clear(harmonics, memory.sums);
  for (std::uint32_t i = 0; i < points.count; i += static_cast<std::uint32_t>(width)) {
    const SomePoints at(points, i, centre, unit);
    ForEachHarmonic(harmonics, at, at.charge, [&](int n, int m, Vector re, Vector im) HWY_ATTR {
      double* to = memory.sums + Harmonics::index(n, m) * width;
      Put<double>(hn::Add(re, At(to)), to);
      Put<double>(hn::Add(im, At(to + terms * width)), to + terms * width);
    });
  }
  std::fill_n(moments, harmonics.size(), 0.0);
  AddLanes(harmonics, memory.sums, moments);
  for (std::size_t i = 0; i < terms; ++i) {
    moments[i] *= harmonics.norms()[i];
    moments[terms + i] *= harmonics.norms()[i];
  }
}

/// Computes the factors by which the real and imaginary parts of X / norm are multiplied to give the
/// potential and its derivatives: eight numbers for each term. The derivatives of harmonics are harmonics of
/// one degree less.
void Derivatives(const Harmonics& harmonics, const double* field, double unit, double* to) {
  const auto& norms = harmonics.norms();
  const std::size_t terms = harmonics.terms();
  const auto re = [&](int n, int m) { return norms[Harmonics::index(n, m)] * field[Harmonics::index(n, m)]; };
  const auto im = [&](int n, int m) {
    return norms[Harmonics::index(n, m)] * field[terms + Harmonics::index(n, m)];
  };
  for (int n = 0; n <= harmonics.order(); ++n) {
    for (int m = 0; m <= n; ++m, to += 8) {
      const double twice = m > 0 ? 2 : 1, slope = twice / unit;  // also covers -m
      to[0] = twice * re(n, m);
      to[1] = twice * im(n, m);
      std::fill_n(to + 2, 6, 0.0);
      if (n == harmonics.order()) continue;
      const double low_re = m > 0 ? re(n + 1, m - 1) : -re(n + 1, 1),
                   low_im = m > 0 ? im(n + 1, m - 1) : im(n + 1, 1);
      to[2] = slope / 2 * (re(n + 1, m + 1) - low_re);
      to[3] = slope / 2 * (im(n + 1, m + 1) - low_im);
      to[4] = slope / 2 * (low_im + im(n + 1, m + 1));
      to[5] = -slope / 2 * (low_re + re(n + 1, m + 1));
      to[6] = slope * re(n + 1, m);
      to[7] = slope * im(n + 1, m);
    }
  }
}

void AddFieldAtPoints(const Harmonics& harmonics, const double* field, const Eigen::Vector3d& centre,
                      double unit, const PointSpan& points, const FieldSums& sums, Workspace& workspace) {
  const Memory<double> memory(harmonics, workspace);
  double* coefficients = memory.input;  // and the memory after it, if there are few lanes
  Derivatives(harmonics, field, unit, coefficients);
  for (std::uint32_t i = 0; i < points.count; i += static_cast<std::uint32_t>(Width())) {
    const SomePoints at(points, i, centre, unit);
    Vector potential = Number(0), x = Number(0), y = Number(0), z = Number(0);
    ForEachHarmonic(harmonics, at, Number(1), [&](int n, int m, Vector re, Vector im) HWY_ATTR {
      const double* c = coefficients + 8 * Harmonics::index(n, m);
      potential = hn::MulAdd(Number(c[0]), re, hn::MulAdd(Number(c[1]), im, potential));
      x = hn::MulAdd(Number(c[2]), re, hn::MulAdd(Number(c[3]), im, x));
      y = hn::MulAdd(Number(c[4]), re, hn::MulAdd(Number(c[5]), im, y));
      z = hn::MulAdd(Number(c[6]), re, hn::MulAdd(Number(c[7]), im, z));
    });
    HWY_ALIGN double values[4][8];
    Put<double>(potential, values[0]);
    Put<double>(x, values[1]);
    Put<double>(y, values[2]);
    Put<double>(z, values[3]);
    for (std::uint32_t lane = 0; lane < Width() && i + lane < points.count; ++lane) {
      sums.potential[i + lane] += values[0][lane];
      sums.x[i + lane] += values[1][lane];
      sums.y[i + lane] += values[2][lane];
      sums.z[i + lane] += values[3][lane];
    }
  }
}

}  // namespace isolume::multipoles::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace isolume::multipoles {

HWY_EXPORT(MomentsOfPoints);
HWY_EXPORT(SumMoments);
HWY_EXPORT(AddFarDoubles);
HWY_EXPORT(AddFarSingles);
HWY_EXPORT(MoveField);
HWY_EXPORT(AddFieldAtPoints);

Workspace::Workspace(const Harmonics& harmonics)
    // See Memory: four arrays of terms and nine columns, for up to 8 lanes.
    : values_((4 * harmonics.size() + 9 * (static_cast<std::size_t>(harmonics.order()) + 1)) * 8) {}

void moments_of_points(const Harmonics& harmonics, const PointSpan& points, const Eigen::Vector3d& centre,
                       double unit, double* moments, Workspace& workspace) {
  HWY_DYNAMIC_DISPATCH(MomentsOfPoints)(harmonics, points, centre, unit, moments, workspace);
}
void sum_moments(const Harmonics& harmonics, std::span<const Expansion<double>> parts, double unit,
                 double* moments, Workspace& workspace) {
  HWY_DYNAMIC_DISPATCH(SumMoments)(harmonics, parts, unit, moments, workspace);
}
void add_far_field(const Harmonics& harmonics, std::span<const Expansion<double>> sources, double unit,
                   double* field, Workspace& workspace) {
  if (sources.empty()) return;
  HWY_DYNAMIC_DISPATCH(AddFarDoubles)(harmonics, sources, unit, field, workspace);
}
void add_far_field(const Harmonics& harmonics, std::span<const Expansion<float>> sources, double unit,
                   double* field, Workspace& workspace) {
  if (sources.empty()) return;
  HWY_DYNAMIC_DISPATCH(AddFarSingles)(harmonics, sources, unit, field, workspace);
}
void move_field(const Harmonics& harmonics, const double* field, double unit,
                std::span<const ExpansionPlace> parts, Workspace& workspace) {
  HWY_DYNAMIC_DISPATCH(MoveField)(harmonics, field, unit, parts, workspace);
}
void add_field_at_points(const Harmonics& harmonics, const double* field, const Eigen::Vector3d& centre,
                         double unit, const PointSpan& points, const FieldSums& sums, Workspace& workspace) {
  HWY_DYNAMIC_DISPATCH(AddFieldAtPoints)(harmonics, field, centre, unit, points, sums, workspace);
}

}  // namespace isolume::multipoles
#endif
