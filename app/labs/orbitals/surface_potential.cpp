#include "app/labs/orbitals/surface_potential.h"

#include <algorithm>
#include <list>
#include <map>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "core/base/language.h"
#include "core/electrostatics/quantum/quantum_potential.h"
#include "core/electrostatics/sums/units.h"

namespace isolume::labs::orbitals {
namespace {

/// Two lobes with their drafts, as a preview and refined.
constexpr std::size_t kept_surfaces = 8;

electrostatics::Places places_of(std::span<const float> numbers) {
  isolume::electrostatics::Places places;
  for (std::size_t i = 0; i + 2 < numbers.size(); i += 3) {
    places.x.push_back(numbers[i]);
    places.y.push_back(numbers[i + 1]);
    places.z.push_back(numbers[i + 2]);
  }
  return places;
}

}  // namespace

struct SurfacePotential::Kept {
  struct Surface {
    int set;
    std::vector<float> places;
    std::vector<double> values;
  };
  std::mutex mutex;  ///< held while a wavefunction is expanded: who comes later wants the same
  std::map<int, std::shared_ptr<const gaussians::WavefunctionPotential>> expanded;
  std::list<Surface> surfaces;  ///< latest used first
};

SurfacePotential::SurfacePotential(DocumentPointer document, Engines engines)
    : document_(std::move(document)), engines_(std::move(engines)), kept_(std::make_unique<Kept>()) {}

SurfacePotential::~SurfacePotential() = default;

std::vector<double> SurfacePotential::at(std::span<const float> places, int set,
                                         const dispatch::ComputeOptions& compute,
                                         const jobs::Progress& progress) const {
  // Kernels are those of orbitals; potentials have one.
  dispatch::ComputeOptions own = compute;
  own.kernel = "auto";
  if (engines_ == nullptr) own.engine = "auto";
  const isolume::electrostatics::QuantumOptions options{
      .unit = isolume::electrostatics::PotentialUnit::hartree_per_e, .compute = own, .engines = engines_};
  std::shared_ptr<const gaussians::WavefunctionPotential> expanded;
  {
    const std::scoped_lock lock(kept_->mutex);
    progress.check();
    auto& surfaces = kept_->surfaces;
    const auto same = std::ranges::find_if(surfaces, [&](const Kept::Surface& each) {
      return each.set == set && std::ranges::equal(each.places, places);
    });
    if (same != surfaces.end()) {
      surfaces.splice(surfaces.begin(), surfaces, same);
      return surfaces.front().values;
    }
    auto& known = kept_->expanded[set];
    if (known == nullptr) {
      const auto& wavefunction = *document_->wavefunction;
      known = std::make_shared<const gaussians::WavefunctionPotential>(isolume::electrostatics::expand(
          wavefunction, wavefunction.sets.at(static_cast<std::size_t>(set - 1)), options,
          progress.part(0, 0.2)));
    }
    expanded = known;
  }
  auto found = isolume::electrostatics::quantum_potential_at(places_of(places), *expanded, options,
                                                             progress.part(0.2, 1));
  const std::scoped_lock lock(kept_->mutex);
  kept_->surfaces.push_front({set, {places.begin(), places.end()}, found.values});
  if (kept_->surfaces.size() > kept_surfaces) kept_->surfaces.pop_back();
  return std::move(found.values);
}

namespace {

class PotentialSource final : public fields::FieldSource {
 public:
  PotentialSource(DocumentPointer document, std::shared_ptr<const SurfacePotential> potential,
                  const isolume::orbitals::FieldParameters& field,
                  isolume::electrostatics::PotentialUnit unit)
      : document_(std::move(document)), potential_(std::move(potential)), field_(field), unit_(unit) {}

  std::string name() const override { return localised("orbitals", "Electrostatic potential"); }
  const void* subject() const override { return document_.get(); }
  std::string key() const override {
    return fmt::format("potential|set {}|{}|{} {} {}", field_.set, isolume::electrostatics::to_text(unit_),
                       field_.engine, field_.devices, field_.threads);
  }
  std::optional<fields::MadeField> at_hand() const override;
  grid::Grid grid() const override { return {}; }
  fields::MadeField compute(const grid::Grid&, const jobs::Progress&) const override { return *at_hand(); }

 private:
  const DocumentPointer document_;
  const std::shared_ptr<const SurfacePotential> potential_;
  const isolume::orbitals::FieldParameters field_;
  const isolume::electrostatics::PotentialUnit unit_;
};

std::optional<fields::MadeField> PotentialSource::at_hand() const {
  constexpr double kelvin = 298.15;
  const double scale = isolume::electrostatics::coulomb_constant(unit_, kelvin) /
                       isolume::electrostatics::coulomb_constant(
                           isolume::electrostatics::PotentialUnit::hartree_per_e, kelvin);
  fields::MadeField made;
  grid::ScalarField unknown;
  unknown.name = name();
  unknown.unit = isolume::electrostatics::to_text(unit_);
  made.field = std::make_shared<const grid::ScalarField>(std::move(unknown));
  made.both_signs = true;
  made.at_places = [document = document_, potential = potential_, set = field_.set,
                    compute = dispatch::ComputeOptions(field_),
                    scale](std::span<const float> places, const jobs::Progress& progress) {
    const auto hartree = potential->at(places, set, compute, progress);
    std::vector<float> values(hartree.size());
    std::ranges::transform(hartree, values.begin(),
                           [scale](double value) { return static_cast<float>(scale * value); });
    return values;
  };
  return made;
}

}  // namespace

std::shared_ptr<const fields::FieldSource> make_potential_source(
    DocumentPointer document, std::shared_ptr<const SurfacePotential> potential,
    const isolume::orbitals::FieldParameters& field, isolume::electrostatics::PotentialUnit unit) {
  return std::make_shared<const PotentialSource>(std::move(document), std::move(potential), field, unit);
}

}  // namespace isolume::labs::orbitals
