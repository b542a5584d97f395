#include "app/labs/anatomy/filtered_pair.h"

#include <utility>

namespace isolume::labs::anatomy {

using namespace isolume::anatomy;

std::shared_ptr<const FilteredImage> filtered_image(const FilterInputs& inputs,
                                                    const jobs::Progress& progress) {
  const Pair& pair = *inputs.opened;
  const filters::Chain chain = filters::parse_chain(inputs.filters);
  filters::Filtered found =
      inputs.is_fixed
          ? filters::apply(chain, {.grid = pair.grid, .values = pair.fixed, .name = {}, .unit = {}}, progress)
          : filters::apply(chain, pair.moving_image->field, progress);
  return std::make_shared<const FilteredImage>(
      FilteredImage{.image = std::make_shared<const Image>(
                        Image{.field = std::move(found.image), .remarks = std::move(found.remarks)}),
                    .report = std::move(found.report)});
}

std::shared_ptr<const Pair> filtered_pair(const FilteredPairInputs& inputs, const jobs::Progress& progress) {
  auto pair = std::make_shared<Pair>(*inputs.opened);
  if (inputs.fixed != nullptr) {
    pair->grid = inputs.fixed->image->grid();
    require_registrable(pair->grid, pair->fixed_path.filename().string());
    pair->fixed = inputs.fixed->image->field.values.host();
  }
  progress.check();
  if (pair->has_moving())
    set_moving(*pair, inputs.moving != nullptr ? inputs.moving->image : pair->moving_image);
  return pair;
}

}  // namespace isolume::labs::anatomy
