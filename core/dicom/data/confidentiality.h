#pragma once

#include <cstdint>

namespace isolume::dicom {

/// Action of the Basic Application Level Confidentiality Profile (DICOM PS3.15, Table E.1-1) for an attribute.
enum class Confidentiality { keep, remove, empty, replace_value, replace_uid };

/// Private attributes, curves and overlays are removed. If the profile's action depends on the kind of object,
/// attributes that may be mandatory are emptied and the others removed.
Confidentiality confidentiality_of(std::uint16_t group, std::uint16_t element);

}  // namespace isolume::dicom
