#pragma once

#include <cstdint>

namespace isolume::images {

/// What the Basic Application Level Confidentiality Profile (DICOM PS3.15, Table E.1-1) does with an
/// attribute.
enum class Confidentiality { keep, remove, empty, replace_value, replace_uid };

/// Private attributes, curves and overlays are removed. Where the profile leaves a choice by the kind of
/// object, attributes that may have to be there are emptied and the others removed.
Confidentiality confidentiality_of(std::uint16_t group, std::uint16_t element);

}  // namespace isolume::images
