#include <algorithm>

#include <fmt/format.h>

#include "app/labs/orbitals/lab.h"
#include "app/scene/view/view_widget.h"
#include "app/workbench/contract/translated.h"
#include "core/base/error.h"
#include "core/base/units.h"
#include "core/molecules/geometry.h"

namespace isolume::labs::orbitals {

const molecules::OrbitalSet& OrbitalsLab::orbital_set() const {
  return wavefunction()->sets[static_cast<std::size_t>(field_.set - 1)];
}

int OrbitalsLab::chosen_orbital() const {
  return molecules::find_orbital(orbital_set(), field_.orbital, field_.spin);
}

/// Number from 1 within the spin, and the spin: the arguments of `orbitals.select`.
std::vector<std::string> OrbitalsLab::orbital_arguments(int orbital) const {
  const auto spin = orbital_set().orbitals[static_cast<std::size_t>(orbital)].spin;
  const auto same_spin = orbital_set().of_spin(spin);
  const auto place = std::find(same_spin.begin(), same_spin.end(), orbital) - same_spin.begin();
  return {std::to_string(place + 1), spin_text(spin)};
}

void OrbitalsLab::select_orbital(const std::string& text, molecules::Spin spin) {
  const auto found = orbital_arguments(molecules::find_orbital(orbital_set(), text, spin));
  std::vector<std::pair<std::string, std::string>> values{{"spin", found[1]}, {"orbital", found[0]}};
  const bool shows_orbital = field_.field == science::FieldKind::orbital ||
                             field_.field == science::FieldKind::orbital_density ||
                             field_.field == science::FieldKind::density_difference;
  if (!shows_orbital) values.emplace_back("field", "orbital");
  playback_.pause();
  set_parameters(tr("Select orbital %1").arg(QString::fromStdString(found[0])), std::move(values));
}

void OrbitalsLab::step_orbital(int step) {
  const auto here = orbital_arguments(chosen_orbital());
  select_orbital(std::to_string(std::stoi(here[0]) + step),
                 here[1] == "beta" ? molecules::Spin::beta : molecules::Spin::alpha);
}

/// A document's first geometry is its molecule, its frames are the further ones.
int OrbitalsLab::frame_count() const {
  return 1 + static_cast<int>(document_->frames.size());
}

const molecules::Molecule& OrbitalsLab::molecule() const {
  return frame_ == 0 ? document_->molecule : document_->frames[static_cast<std::size_t>(frame_ - 1)];
}

void OrbitalsLab::choose_frame(int frame) {
  if (frame < 0 || frame >= frame_count()) {
    throw Error(
        workbench::said(QObject::tr("There is no frame %1; the file has %2."), frame + 1, frame_count()));
  }
  frame_ = frame;
  scene_.set_molecule(molecule());
  scene_.set_measured(measured_.atoms());
  follow_line();
  window_.restyle();
  info_->set_frame(frame);
  const bool elsewhere = frame > 0 && (document_->wavefunction || !document_->fields.empty());
  context_.show_status(
      (elsewhere ? tr("Frame %1 of %2: orbitals and fields are those of frame 1") : tr("Frame %1 of %2"))
          .arg(frame + 1)
          .arg(frame_count()));
}

void OrbitalsLab::choose_file_field(int field) {
  if (field < 0 || field >= static_cast<int>(document_->fields.size())) {
    throw Error(workbench::said(QObject::tr("There is no field %1; the file has %2."), field + 1,
                                document_->fields.size()));
  }
  const std::string kind_before = isovalue_kind();
  file_field_ = static_cast<std::size_t>(field);
  follow_kind(kind_before);
  info_->set_chosen_field(field);
  request_picture();
}

// Sessions.

std::function<nlohmann::json()> OrbitalsLab::state() const {
  nlohmann::json state{{"field", file_field_}, {"frame", frame_}, {"measured_atoms", measured_.atoms()}};
  for (const auto& [kind, surface] : isosurfaces_) {
    state["isosurfaces"][kind] = {{"by_value", surface.mode == IsovalueMode::value},
                                  {"isovalue", surface.isovalue},
                                  {"enclosed", surface.enclosed}};
  }
  return [state] { return state; };
}

void OrbitalsLab::restore(const nlohmann::json& state) {
  window_.leave_camera();  // where it was is where it stays
  const auto isosurfaces = state.value("isosurfaces", nlohmann::json::object());
  for (const auto& [kind, surface] : isosurfaces.items()) {
    isosurfaces_[kind] = {surface.at("by_value").get<bool>() ? IsovalueMode::value : IsovalueMode::enclosed,
                          surface.at("isovalue").get<double>(), surface.at("enclosed").get<double>()};
  }
  if (!document_->fields.empty()) {
    const int field = state.value("field", 0);
    // The isovalue among the parameters is that of this field.
    if (field >= 0 && field < static_cast<int>(document_->fields.size()))
      file_field_ = static_cast<std::size_t>(field);
    choose_file_field(field);
  }
  choose_frame(state.value("frame", 0));
  measured_.restore(state.value("measured_atoms", std::vector<int>{}));
}

// Measuring.

void OrbitalsLab::click(double x, double y) {
  const int atom = document_ ? scene_.atom_at(x, y) : -1;
  if (atom >= 0) measured_.click(atom);
}

fields::MeasuredAtoms::Lab OrbitalsLab::measuring() {
  const auto text = [this] { return molecules::measure(molecule(), measured_.atoms()); };
  return {.name = "orbitals",
          .molecule = [this] { return document_ ? &molecule() : nullptr; },
          .text = text,
          .show =
              [this] {
                scene_.set_measured(measured_.atoms());
                follow_line();
                context_.view.request_render();
              },
          .tell =
              [this, text] {
                context_.show_status(measured_.empty() ? tr("Measurement cleared")
                                                       : QString::fromStdString(text()));
              }};
}

/// The field is charted between two measured atoms.
void OrbitalsLab::follow_line() {
  std::vector<fields::NamedPlace> chosen;
  for (const int atom : measured_.atoms()) {
    chosen.push_back(
        {molecule().atoms[static_cast<std::size_t>(atom)].position_bohr * units::angstrom_per_bohr,
         QString::fromStdString(molecules::atom_label(molecule(), atom))});
  }
  window_.follow_atoms(chosen);
}

bool OrbitalsLab::eventFilter(QObject* watched, QEvent* event) {
  return measured_.ends_with(*event) || QObject::eventFilter(watched, event);
}

}  // namespace isolume::labs::orbitals
