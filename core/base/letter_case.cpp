#include "core/base/letter_case.h"

namespace isolume {

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& each : result) each = lower_case(each);
  return result;
}

std::string upper_case(std::string_view text) {
  std::string result(text);
  for (char& each : result) each = upper_case(each);
  return result;
}

}  // namespace isolume
