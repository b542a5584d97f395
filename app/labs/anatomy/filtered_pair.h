#pragma once

#include <memory>
#include <string>

#include "core/anatomy/alignment.h"
#include "core/filters/chain.h"

namespace isolume::labs::anatomy {

/// What filters made of an image.
struct FilteredImage {
  std::shared_ptr<const isolume::anatomy::Image> image;
  nlohmann::ordered_json report;  ///< of filters::apply
};
struct FilterInputs {
  std::shared_ptr<const isolume::anatomy::Pair> opened;
  bool is_fixed = false;  ///< the image of the two
  std::string filters;    ///< as filters::parse_chain reads them; not empty
  bool operator==(const FilterInputs&) const = default;
};
/// Throws as filters::parse_chain and filters::apply.
std::shared_ptr<const FilteredImage> filtered_image(const FilterInputs& inputs,
                                                    const jobs::Progress& progress);

/// A pair with filtered images in place of its own.
struct FilteredPairInputs {
  std::shared_ptr<const isolume::anatomy::Pair> opened;
  std::shared_ptr<const FilteredImage> fixed, moving;  ///< null: as it was opened
  bool operator==(const FilteredPairInputs&) const = default;
};
/// Throws Error naming the image if it cannot be registered any more.
std::shared_ptr<const isolume::anatomy::Pair> filtered_pair(const FilteredPairInputs& inputs,
                                                            const jobs::Progress& progress);

}  // namespace isolume::labs::anatomy
