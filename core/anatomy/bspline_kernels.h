#pragma once

#include <array>

namespace isolume::anatomy {

/// to[i] = sum over k of weights[k] rows[k][i]
void combine_rows(const std::array<const float*, 4>& rows, const std::array<float, 4>& weights, int count,
                  float* to);
/// rows[k][i] += weights[k] values[i]
void add_to_rows(const float* values, const std::array<float, 4>& weights, int count,
                 const std::array<float*, 4>& rows);
/// The same of the products of two rows.
void add_products_to_rows(const float* a, const float* b, const std::array<float, 4>& weights, int count,
                          const std::array<float*, 4>& rows);

}  // namespace isolume::anatomy
