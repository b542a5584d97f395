#pragma once

#include <optional>

class DcmItem;

namespace isolume::images {

/// The diffusion weighting in s/mm² that Siemens, GE, Philips and United Imaging write into elements of their own; nothing
/// where there is none.
std::optional<double> private_b_value(DcmItem& dataset);

}  // namespace isolume::images
