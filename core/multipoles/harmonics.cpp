#include "core/multipoles/harmonics.h"

#include <algorithm>
#include <cmath>

namespace isolume::multipoles {

namespace {

using Real = long double;

Real factorial(int n) {
  Real product = 1;
  for (int i = 2; i <= n; ++i) product *= static_cast<Real>(i);
  return product;
}

Real norm(int n, int m) {
  return std::sqrt(factorial(n - m) * factorial(n + m));
}

/// The matrix b(m, k), m and k from -n to n, by which exchanging x and z acts on the harmonics X / norm of
/// one degree. Derivatives of harmonics are harmonics, so each degree follows from the one before: d/dx of
/// (n, m) is half the difference of (n - 1, m - 1) and (n - 1, m + 1), d/dz is (n - 1, m).
class Exchange {
 public:
  Exchange() : values_{1} {}

  Real at(int m, int k) const {
    if (std::abs(m) > degree_ || std::abs(k) > degree_) return 0;
    const int side = 2 * degree_ + 1;
    return values_[static_cast<std::size_t>((m + degree_) * side + k + degree_)];
  }
  Exchange next() const {
    Exchange result;
    result.degree_ = degree_ + 1;
    result.values_.clear();
    const int n = result.degree_;
    for (int m = -n; m <= n; ++m) {
      for (int k = -n; k <= n; ++k) {
        if (std::abs(k) < n) {
          result.values_.push_back((at(m - 1, k) - at(m + 1, k)) / 2);
        } else if (k > 0) {
          result.values_.push_back(last(m));
        } else {
          result.values_.push_back((m + n) % 2 == 0 ? last(-m) : -last(-m));
        }
      }
    }
    return result;
  }

 private:
  /// The entry of the next degree for the largest k, from the derivative by x - i y.
  Real last(int m) const { return at(m, degree_) + (at(m + 1, degree_) + at(m - 1, degree_)) / 2; }

  int degree_ = 0;
  std::vector<Real> values_;
};

void append_exchange(const Exchange& exchange, int n, std::vector<double>& to) {
  for (const int sign : {1, -1}) {  // real, imaginary
    const int least = sign > 0 ? 0 : 1;
    for (const int parity : {0, 1}) {
      std::vector<int> rows;
      for (int m = least; m <= n; ++m) {
        if (m % 2 == parity) rows.push_back(m);
      }
      const int count = static_cast<int>(rows.size());
      for (int first = 0; first < count;) {
        const int together = rows_together(count - first, exchange_rows);
        for (int k = least; k <= n; ++k) {
          if ((k + n + parity + least) % 2 != 0) continue;  // b(m, k) and b(m, -k) cancel
          for (int row = first; row < first + together; ++row) {
            const int m = rows[static_cast<std::size_t>(row)];
            const Real other = k % 2 == 0 ? exchange.at(m, -k) : -exchange.at(m, -k);
            const Real sum = k == 0 ? exchange.at(m, 0) : exchange.at(m, k) + static_cast<Real>(sign) * other;
            to.push_back(static_cast<double>(sum * norm(n, m) / norm(n, k)));
          }
        }
        first += together;
      }
    }
  }
}

}  // namespace

Harmonics::Harmonics(int order) : order_(order) {
  for (int m = 0; m <= order; ++m) {
    columns_.push_back(static_cast<std::size_t>(m * order - m * (m - 1) / 2));
    lines_.push_back(static_cast<std::size_t>(m));
  }
  Exchange exchange;
  auto& [exchanges, single_exchanges] = exchange_;
  auto& [far, single_far] = far_;
  for (int n = 0; n <= order; ++n) {
    for (int m = 0; m <= n; ++m) norms_.push_back(static_cast<double>(norm(n, m)));
    append_exchange(exchange, n, exchanges);
    exchange = exchange.next();
  }
  for (int m = 0; m <= order; ++m) {
    for (int first = m; first <= order;) {
      const int together = rows_together(order + 1 - first, far_rows);
      for (int n = m; n <= order; ++n) {
        for (int k = first; k < first + together; ++k) {
          const Real value = factorial(n + k) / norm(k, m) / norm(n, m);
          far.push_back(static_cast<double>((k + m) % 2 == 0 ? value : -value));
        }
      }
      first += together;
    }
    for (int n = m; n <= order; ++n) {
      for (int k = m; k <= n; ++k) {
        shift_.push_back(static_cast<double>(norm(n, m) / norm(k, m) / factorial(n - k)));
      }
    }
    for (int n = m + 1; n <= order; ++n) {
      const double squares = n * n - m * m;
      recursion_.push_back((2 * n - 1) / squares);
      recursion_.push_back(1 / squares);
    }
  }
  single_exchanges.assign(exchanges.begin(), exchanges.end());
  single_far.assign(far.begin(), far.end());
}

}  // namespace isolume::multipoles
