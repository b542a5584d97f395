// The formulas of the variations, written once for vectors of the CPU and for threads of a GPU. Whoever includes this
// file defines ISOLUME_FLAMES_INLINE and, in the namespace around, these names: Real (a number or a vector of numbers,
// with + - * / < and a constructor from float), Sqrt, Exp, Log, Floor, Trunc, Abs, Atan2, SinCos and Choose.
// There is no include guard, since Highway compiles the file once for each instruction set.

/// The denominator of variations that divide by a distance.
inline constexpr float kLeast = 1e-10F;
inline constexpr float kPi = 3.14159265358979F;

ISOLUME_FLAMES_INLINE Real Square(Real x) {
  return x * x;
}
/// The remainder with the sign of x, as fmod.
ISOLUME_FLAMES_INLINE Real Remainder(Real x, Real by) {
  return x - by * Trunc(x / by);
}
/// x^exponent for x >= 0.
ISOLUME_FLAMES_INLINE Real Power(Real x, Real exponent) {
  return Exp(exponent * Log(x + Real(1e-30F)));
}

/// Adds amount * V(x, y). Formulas are those of the appendix of Draves and Reckase, by their numbers, with r² = x² +
/// y², theta = atan2(x, y), phi = atan2(y, x); psi are independent uniform random numbers of [0, 1). Where the
/// appendix and the files of established programs disagree, the files decide: V14 and V23 to V26 are noted. In V13,
/// Omega is 0 or pi (some texts print the whole interval).
template <class Random>
ISOLUME_FLAMES_INLINE void AddVariation(Variation variation, float amount_of_term, const float* p, Real x,
                                        Real y, Random& random, Real& to_x, Real& to_y) {
  const Real amount(amount_of_term), one(1), two(2), half(0.5F), pi(kPi);
  const Real squared = x * x + y * y;
  const auto add = [&](Real by_x, Real by_y) {
    to_x = to_x + amount * by_x;
    to_y = to_y + amount * by_y;
  };
  const auto theta = [&] { return Atan2(x, y); };
  const auto phi = [&] { return Atan2(y, x); };
  Real s(0), c(0), s2(0), c2(0);
  switch (variation) {
    case Variation::linear:  // V0
      return add(x, y);
    case Variation::sinusoidal:  // V1
      SinCos(x, s, c);
      SinCos(y, s2, c2);
      return add(s, s2);
    case Variation::spherical: {  // V2
      const Real factor = one / (squared + Real(kLeast));
      return add(factor * x, factor * y);
    }
    case Variation::swirl:  // V3
      SinCos(squared, s, c);
      return add(s * x - c * y, c * x + s * y);
    case Variation::horseshoe: {  // V4
      const Real factor = one / (Sqrt(squared) + Real(kLeast));
      return add((x - y) * (x + y) * factor, two * x * y * factor);
    }
    case Variation::polar:  // V5
      return add(theta() / pi, Sqrt(squared) - one);
    case Variation::handkerchief: {  // V6
      const Real r = Sqrt(squared), angle = theta();
      SinCos(angle + r, s, c);
      SinCos(angle - r, s2, c2);
      return add(r * s, r * c2);
    }
    case Variation::heart: {  // V7
      const Real r = Sqrt(squared);
      SinCos(theta() * r, s, c);
      return add(r * s, Real(0) - r * c);
    }
    case Variation::disc: {  // V8
      const Real part = theta() / pi;
      SinCos(pi * Sqrt(squared), s, c);
      return add(part * s, part * c);
    }
    case Variation::spiral: {  // V9; cos theta = y/r, sin theta = x/r
      const Real r = Sqrt(squared), inverse = one / (r + Real(kLeast));
      SinCos(r, s, c);
      return add(inverse * (y * inverse + s), inverse * (x * inverse - c));
    }
    case Variation::hyperbolic:  // V10
      return add(x / (squared + Real(kLeast)), y);
    case Variation::diamond: {  // V11
      const Real r = Sqrt(squared), inverse = one / (r + Real(kLeast));
      SinCos(r, s, c);
      return add(x * inverse * c, y * inverse * s);
    }
    case Variation::ex: {  // V12
      const Real r = Sqrt(squared), angle = theta();
      SinCos(angle + r, s, c);
      SinCos(angle - r, s2, c2);
      const Real first = s * s * s * r, second = c2 * c2 * c2 * r;
      return add(first + second, first - second);
    }
    case Variation::julia: {  // V13
      const Real root = Sqrt(Sqrt(squared));
      SinCos(half * theta() + Choose(random.Next() < half, Real(0), pi), s, c);
      return add(root * c, root * s);
    }
    case Variation::bent:  // V14
      return add(Choose(x < Real(0), two * x, x), Choose(y < Real(0), half * y, y));
    case Variation::waves:  // V15; p: b, 1/c², e, 1/f² of the affine map
      SinCos(y * Real(p[1]), s, c);
      SinCos(x * Real(p[3]), s2, c2);
      return add(x + Real(p[0]) * s, y + Real(p[2]) * s2);
    case Variation::fisheye: {  // V16, with x and y exchanged, which eyefish corrects
      const Real factor = two / (Sqrt(squared) + one);
      return add(factor * y, factor * x);
    }
    case Variation::popcorn: {  // V17; p: c, f of the affine map
      SinCos(Real(3) * y, s, c);
      SinCos(Real(3) * x, s2, c2);
      Real sine_x(0), sine_y(0);
      SinCos(s / c, sine_x, c);
      SinCos(s2 / c2, sine_y, c2);
      return add(x + Real(p[0]) * sine_x, y + Real(p[1]) * sine_y);
    }
    case Variation::exponential: {  // V18
      const Real factor = Exp(x - one);
      SinCos(pi * y, s, c);
      return add(factor * c, factor * s);
    }
    case Variation::power: {  // V19: r^(sin theta) (cos theta, sin theta)
      const Real r = Sqrt(squared), inverse = one / (r + Real(kLeast));
      const Real sine = x * inverse, factor = Power(r, sine);
      return add(factor * y * inverse, factor * sine);
    }
    case Variation::cosine: {  // V20
      const Real grown = Exp(y), shrunk = Exp(Real(0) - y);
      SinCos(pi * x, s, c);
      return add(c * half * (grown + shrunk), Real(0) - s * half * (grown - shrunk));
    }
    case Variation::rings: {  // V21; p: c² of the affine map
      const Real r = Sqrt(squared), inverse = one / (r + Real(kLeast)), width(p[0]);
      const Real length = Remainder(r + width, two * width) - width + r * (one - width);
      return add(length * y * inverse, length * x * inverse);
    }
    case Variation::fan: {  // V22; p: pi c², f of the affine map
      const Real width(p[0]), angle = theta(), r = Sqrt(squared);
      const auto beyond = half * width < Remainder(angle + Real(p[1]), width);
      SinCos(angle + half * Choose(beyond, Real(0) - width, width), s, c);
      return add(r * c, r * s);
    }
    case Variation::blob: {  // V23, with (sin, cos) in place of (cos, sin); p: low, high - low, waves
      SinCos(Real(p[2]) * theta(), s, c);
      const Real factor = Real(p[0]) + Real(p[1]) * (half + half * s);
      return add(factor * x, factor * y);
    }
    case Variation::pdj: {  // V24: (sin(a y) - cos(b x), sin(c x) - cos(d y))
      Real s3(0), c3(0), s4(0), c4(0);
      SinCos(Real(p[0]) * y, s, c);
      SinCos(Real(p[1]) * x, s2, c2);
      SinCos(Real(p[2]) * x, s3, c3);
      SinCos(Real(p[3]) * y, s4, c4);
      return add(s - c2, s3 - c4);
    }
    case Variation::fan2: {  // V25, with the remainder of V22; p: pi x², y
      const Real width(p[0]), angle = theta(), r = Sqrt(squared);
      const auto beyond = half * width < Remainder(angle + Real(p[1]), width);
      SinCos(angle + half * Choose(beyond, Real(0) - width, width), s, c);
      return add(r * s, r * c);
    }
    case Variation::rings2: {  // V26; p: val²
      const Real r = Sqrt(squared), inverse = one / (r + Real(kLeast)), width(p[0]);
      const Real length = r - two * width * Trunc((r + width) / (two * width)) + r * (one - width);
      return add(length * x * inverse, length * y * inverse);
    }
    case Variation::eyefish: {  // V27
      const Real factor = two / (Sqrt(squared) + one);
      return add(factor * x, factor * y);
    }
    case Variation::bubble: {  // V28
      const Real factor = Real(4) / (squared + Real(4));
      return add(factor * x, factor * y);
    }
    case Variation::cylinder:  // V29
      SinCos(x, s, c);
      return add(s, y);
    case Variation::perspective: {  // V30; p: sin, distance, distance * cos of the angle
      const Real factor = one / (Real(p[1]) - y * Real(p[0]));
      return add(Real(p[1]) * x * factor, Real(p[2]) * y * factor);
    }
    case Variation::noise: {  // V31
      const Real length = random.Next();
      SinCos(two * pi * random.Next(), s, c);
      return add(length * x * c, length * y * s);
    }
    case Variation::julian: {  // V32; p: |power|, 1/power, distance/(2 power)
      const Real turn = Trunc(Real(p[0]) * random.Next());
      SinCos((phi() + two * pi * turn) * Real(p[1]), s, c);
      const Real length = Power(squared, Real(p[2]));
      return add(length * c, length * s);
    }
    case Variation::juliascope: {  // V33: the sign of phi goes with the turn
      const Real turn = Trunc(Real(p[0]) * random.Next()), angle = phi();
      const auto odd = half < Remainder(turn, two);
      SinCos((Choose(odd, Real(0) - angle, angle) + two * pi * turn) * Real(p[1]), s, c);
      const Real length = Power(squared, Real(p[2]));
      return add(length * c, length * s);
    }
    case Variation::blur: {  // V34
      const Real length = random.Next();
      SinCos(two * pi * random.Next(), s, c);
      return add(length * c, length * s);
    }
    case Variation::gaussian_blur: {  // V35
      const Real length = random.Next() + random.Next() + random.Next() + random.Next() - two;
      SinCos(two * pi * random.Next(), s, c);
      return add(length * c, length * s);
    }
    case Variation::radial_blur: {  // V36; p: sin and cos of the angle
      const Real spread = amount * (random.Next() + random.Next() + random.Next() + random.Next() - two);
      const Real r = Sqrt(squared), zoomed = spread * Real(p[1]) - one;
      SinCos(phi() + spread * Real(p[0]), s, c);
      to_x = to_x + r * c + zoomed * x;  // the amount is within
      to_y = to_y + r * s + zoomed * y;
      return;
    }
    case Variation::pie: {  // V37; p: slices, rotation, thickness, 2 pi/slices
      const Real slice = Trunc(random.Next() * Real(p[0]) + half);
      const Real angle = Real(p[1]) + Real(p[3]) * (slice + random.Next() * Real(p[2]));
      const Real length = random.Next();
      SinCos(angle, s, c);
      return add(length * c, length * s);
    }
    case Variation::ngon: {  // V38; p: 2 pi/sides, power/2, circle, corners
      const Real side(p[0]), angle = phi();
      Real within = angle - side * Floor(angle / side);
      within = Choose(half * side < within, within - side, within);
      SinCos(within, s, c);
      const Real factor = (Real(p[3]) * (one / (c + Real(kLeast)) - one) + Real(p[2])) /
                          (Power(squared, Real(p[1])) + Real(kLeast));
      return add(factor * x, factor * y);
    }
    case Variation::curl: {  // V39; p: c1, c2
      const Real re = one + Real(p[0]) * x + Real(p[1]) * (x * x - y * y);
      const Real im = Real(p[0]) * y + two * Real(p[1]) * x * y;
      const Real factor = one / (re * re + im * im + Real(kLeast));
      return add((x * re + y * im) * factor, (y * re - x * im) * factor);
    }
    case Variation::rectangles: {  // V40; p: width, height; 0 leaves the coordinate
      const Real tall(p[1]), wide(p[0]);
      return add(p[0] == 0 ? x : (two * Floor(x / wide) + one) * wide - x,
                 p[1] == 0 ? y : (two * Floor(y / tall) + one) * tall - y);
    }
    case Variation::arch:  // V41
      SinCos(random.Next() * amount * pi, s, c);
      return add(s, s * s / c);
    case Variation::tangent:  // V42
      SinCos(x, s, c);
      SinCos(y, s2, c2);
      return add(s / c2, s2 / c2);
    case Variation::square: {  // V43
      const Real first = random.Next() - half, second = random.Next() - half;
      return add(first, second);
    }
    case Variation::rays: {  // V44
      SinCos(random.Next() * amount * pi, s, c);
      const Real factor = amount * (s / c) / (squared + Real(kLeast));
      SinCos(x, s, c);
      SinCos(y, s2, c2);
      return add(factor * c, factor * s2);
    }
    case Variation::blade:  // V45
      SinCos(random.Next() * amount * Sqrt(squared), s, c);
      return add(x * (c + s), x * (c - s));
    case Variation::secant2: {  // V46, shifted by 1 to have no gap, as `.flame` files mean it
      SinCos(amount * Sqrt(squared), s, c);
      return add(x, one / c + Choose(c < Real(0), one, Real(-1)));
    }
    case Variation::twintrian: {  // V47
      SinCos(random.Next() * amount * Sqrt(squared), s, c);
      const Real sum = Log(s * s + Real(1e-30F)) * Real(0.4342944819F) + c;
      return add(x * sum, x * (sum - pi * s));
    }
    case Variation::cross: {  // V48
      const Real factor = one / (Abs(x * x - y * y) + Real(kLeast));
      return add(factor * x, factor * y);
    }
  }
}

/// The point through affine map, variations and post-affine map.
template <class Random>
ISOLUME_FLAMES_INLINE void Apply(const GameFunction& function, const GameTerm* terms, Random& random, Real& x,
                                 Real& y) {
  const float* a = function.affine;
  const Real from_x = Real(a[0]) * x + Real(a[1]) * y + Real(a[2]);
  const Real from_y = Real(a[3]) * x + Real(a[4]) * y + Real(a[5]);
  Real sum_x(0), sum_y(0);
  for (int i = function.first_term; i < function.end_term; ++i) {
    AddVariation(terms[i].variation, terms[i].amount, terms[i].constants, from_x, from_y, random, sum_x,
                 sum_y);
  }
  x = sum_x;
  y = sum_y;
  if (function.has_post == 0) return;
  const float* post = function.post;
  x = Real(post[0]) * sum_x + Real(post[1]) * sum_y + Real(post[2]);
  y = Real(post[3]) * sum_x + Real(post[4]) * sum_y + Real(post[5]);
}
