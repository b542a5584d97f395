#include "tests/app/labs/toy/description.h"

#include "tests/app/labs/toy/toy_field.h"

namespace isolume::labs::toy {

fields::ComputedField field() {
  return {.name = "toy",
          .title = "Toy",
          .summary = "Two pulses of opposite sign that circle each other.",
          .unit = "mV",
          .length_unit = "mm",
          .reach = half_box_mm,
          .time = "time",
          .make = fields::model_of(toy_schema(), toy_source)};
}

}  // namespace isolume::labs::toy
