#include "core/orbitals/orbital_source.h"

#include <chrono>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/units.h"

namespace isolume::orbitals {
namespace {

/// A field of a wavefunction.
class OrbitalSource final : public fields::FieldSource {
 public:
  OrbitalSource(DocumentPointer document, FieldParameters field, double isovalue_in_box,
                EnginesPointer engines)
      : document_(std::move(document)),
        field_(std::move(field)),
        box_isovalue_(isovalue_in_box),
        engines_(std::move(engines)),
        request_(to_request(field_, wavefunction())) {}

  std::string name() const override { return field_name(wavefunction(), request_); }
  const void* subject() const override { return document_.get(); }
  std::string key() const override;
  std::string series() const override;
  grid::Grid grid() const override;
  fields::MadeField compute(const grid::Grid& grid, const jobs::Progress& progress) const override;
  bool takes_lines() const override { return true; }

 private:
  std::string everything_but_the_moment() const;
  std::function<FieldValues()> again(const grid::Grid& grid) const;
  const molecules::Wavefunction& wavefunction() const { return *document_->wavefunction; }

  const DocumentPointer document_;
  const FieldParameters field_;
  const double box_isovalue_;
  const EnginesPointer engines_;
  const FieldRequest request_;
};

/// Without the moment of a superposition in time.
std::string OrbitalSource::series() const {
  return request_.terms.empty() ? std::string() : everything_but_the_moment();
}

std::string OrbitalSource::key() const {
  if (request_.terms.empty()) return everything_but_the_moment();
  return fmt::format("{}|time {}", everything_but_the_moment(), request_.time_atomic_units);
}

std::string OrbitalSource::everything_but_the_moment() const {
  std::string key = fmt::format("{}|set {}", to_string(request_.kind), request_.set);
  switch (request_.kind) {
    case FieldKind::density_difference:
      key += fmt::format("|{} - {}", request_.orbital, request_.other_orbital);
      break;
    case FieldKind::superposition:
    case FieldKind::superposition_density:
      for (const auto& term : request_.terms) key += fmt::format("|{} x {}", term.orbital, term.weight);
      break;
    case FieldKind::orbital:
    case FieldKind::orbital_density:
      key += fmt::format("|{}", request_.orbital);
      break;
    default:
      break;
  }
  return key + fmt::format("|{} {} {}|{} {} {} {}", field_.spacing_angstrom, field_.margin_angstrom,
                           box_isovalue_, field_.engine, field_.kernel, field_.devices, field_.threads);
}

grid::Grid OrbitalSource::grid() const {
  BoxOptions box;
  box.spacing_bohr = field_.spacing_angstrom * units::bohr_per_angstrom;
  box.margin_bohr = field_.margin_angstrom * units::bohr_per_angstrom;
  box.isovalue = box_isovalue_;
  return enclosing_grid(wavefunction(), request_, box);
}

fields::MadeField OrbitalSource::compute(const grid::Grid& grid, const jobs::Progress& progress) const {
  const auto start = std::chrono::steady_clock::now();
  const auto& engine = engines_->find(field_.engine);
  const auto keep =
      grid.point_count() >= fields::surface_points_worth_a_gpu ? Keep::where_computed : Keep::in_host_memory;
  auto [field, report] = compute_field(wavefunction(), request_, grid, engine, {field_}, progress, keep);
  if (auto device = field.values.device()) {
    field.values = grid::Values(std::move(device), again(grid));
  }
  fields::MadeField made;
  made.milliseconds = milliseconds_since(start);
  made.field = std::make_shared<const grid::ScalarField>(std::move(field));
  made.maker = report.by();
  made.both_signs = is_signed(request_.kind);
  made.amplitude = is_amplitude(request_.kind);
  engines_->record(report);
  return made;
}

/// The same numbers in host memory.
std::function<FieldValues()> OrbitalSource::again(const grid::Grid& grid) const {
  return [document = document_, field = field_, engines = engines_, request = request_, grid] {
    const auto& engine = engines->find(field.engine);
    return compute_field(*document->wavefunction, request, grid, engine, {field}).values.values.host();
  };
}

/// A field that the document brings with it.
class FileSource final : public fields::FieldSource {
 public:
  FileSource(DocumentPointer document, std::size_t field)
      : document_(std::move(document)), field_(find(*document_, field)), place_(field) {}

  std::string name() const override { return field_->name; }
  const void* subject() const override { return document_.get(); }
  std::string key() const override { return fmt::format("file|{}", place_); }
  std::optional<fields::MadeField> at_hand() const override;
  grid::Grid grid() const override { return field_->grid; }
  fields::MadeField compute(const grid::Grid&, const jobs::Progress&) const override { return *at_hand(); }

 private:
  using FieldPointer = std::shared_ptr<const grid::ScalarField>;
  static FieldPointer find(const molecules::Document& document, std::size_t place);

  const DocumentPointer document_;
  const FieldPointer field_;
  const std::size_t place_;
};

FileSource::FieldPointer FileSource::find(const molecules::Document& document, std::size_t place) {
  if (document.fields.empty()) {
    throw Error(
        fmt::format("{}: the file holds only a molecule, neither orbitals nor a field. Give a file that "
                    "holds one of them.",
                    document.path.filename().string()));
  }
  if (place >= document.fields.size()) {
    throw Error(fmt::format("{}: there is no field {}; the file has {}.", document.path.filename().string(),
                            place + 1, document.fields.size()));
  }
  return document.fields[place];
}

std::optional<fields::MadeField> FileSource::at_hand() const {
  fields::MadeField made;
  made.field = field_;
  made.amplitude = field_->unit == field_unit(FieldKind::orbital);
  return made;
}

}  // namespace

std::shared_ptr<const fields::FieldSource> make_source(DocumentPointer document, const FieldParameters& field,
                                                       double in_box, std::size_t file_field,
                                                       EnginesPointer engines) {
  if (document->wavefunction == nullptr)
    return std::make_shared<const FileSource>(std::move(document), file_field);
  return std::make_shared<const OrbitalSource>(std::move(document), field, in_box, std::move(engines));
}

}  // namespace isolume::orbitals
