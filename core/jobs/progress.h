#pragma once

#include <functional>
#include <stop_token>
#include <string_view>
#include <utility>

#include "core/base/error.h"

namespace isolume::jobs {

/// Passed to long work so that it can report its progress and learn whether to stop. Cheap to copy, callable
/// from several threads. A default-constructed one is never cancelled and reports nowhere.
class Progress {
 public:
  using Report = std::function<void(double fraction, std::string_view stage)>;

  Progress() = default;
  Progress(std::stop_token stop, Report report) : stop_(std::move(stop)), report_(std::move(report)) {}

  /// `fraction` of the whole in [0, 1]; `stage` names the current step ("overlap matrix").
  void report(double fraction, std::string_view stage = {}) const {
    if (report_) report_(fraction, stage);
  }
  const std::stop_token& stop_token() const { return stop_; }
  bool cancelled() const { return stop_.stop_requested(); }
  /// Throws Cancelled when the work should stop. Call at least every 50 ms.
  void check() const {
    if (cancelled()) throw Cancelled();
  }
  /// A view of the part [from, to] of this progress, for a callee that reports 0 to 1 of its own work.
  Progress part(double from, double to) const {
    if (!report_) return *this;
    return {stop_, [report = report_, from, to](double fraction, std::string_view stage) {
              report(from + (to - from) * fraction, stage);
            }};
  }

 private:
  std::stop_token stop_;
  Report report_;
};

}  // namespace isolume::jobs
