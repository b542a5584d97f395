#include <array>

#include "app/batch/on_ranks.h"
#include "app/labs/anatomy/batch_atlas.h"

namespace isolume::labs::anatomy {
namespace {

class OnRanks final : public AtlasRanks {
 public:
  explicit OnRanks(const Ranks& ranks) : ranks_(ranks) {}
  void together(const std::function<void()>& work) const override { ranks_.together(work); }
  void sum(std::span<double> values) const override { ranks_.sum(values); }
  double greatest(double value) const override {
    std::array values{value};
    ranks_.greatest(values);
    return values[0];
  }
  std::vector<double> all(std::span<const double> own) const override { return ranks_.gather(own).values; }
  int rank() const override { return ranks_.rank(); }
  int count() const override { return ranks_.count(); }
  int threads() const override { return ranks_.threads(); }
  std::string joined(const std::string& own) const override {
    const auto all = ranks_.gather(std::span<const char>(own)).values;
    return {all.begin(), all.end()};
  }

 private:
  const Ranks& ranks_;
};

}  // namespace

bool on_atlas_ranks(batch::Context& context, const std::function<void(const AtlasRanks&)>& work) {
  if (!batch::are_several()) return false;
  batch::on_ranks(context, [&](const Ranks& ranks) { work(OnRanks(ranks)); });
  return true;
}

}  // namespace isolume::labs::anatomy
