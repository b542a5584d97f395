#pragma once

#include <algorithm>
#include <chrono>

namespace isolume::anatomy {

/// When what has been found so far is shown: as often as that costs at most a quarter of the time.
class Pace {
 public:
  template <class Show>
  void operator()(const Show& show) {
    const auto begin = std::chrono::steady_clock::now();
    if (begin < next_) return;
    show();
    constexpr std::chrono::milliseconds most_often{40};
    const auto end = std::chrono::steady_clock::now();
    next_ = end + std::max<std::chrono::steady_clock::duration>(most_often, 3 * (end - begin));
  }

 private:
  std::chrono::steady_clock::time_point next_;
};

}  // namespace isolume::anatomy
