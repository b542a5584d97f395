#include "app/workbench/contract/translated.h"

#include <QCoreApplication>
#include <algorithm>
#include <utility>

#include "core/base/letter_case.h"

namespace isolume::workbench {
namespace {

/// For translators: the names of stages of work, orbital sets, engines and reasons in core and gpu, which do
/// not use Qt.
[[maybe_unused]] constexpr const char* of_core[] = {
    QT_TRANSLATE_NOOP("declared", "Best"),
    QT_TRANSLATE_NOOP("declared", "No NVIDIA driver was found."),
    QT_TRANSLATE_NOOP("declared", "The NVIDIA driver finds no GPU."),
    QT_TRANSLATE_NOOP("declared", "Isolume emulates GPUs, but ISOLUME_EMULATED_DEVICES names none."),
    QT_TRANSLATE_NOOP("declared", "bodies"),
    QT_TRANSLATE_NOOP("declared", "boundaries"),
    QT_TRANSLATE_NOOP("declared", "pKa values by PROPKA"),
    QT_TRANSLATE_NOOP("declared", "canonical"),
    QT_TRANSLATE_NOOP("declared", "molecular"),
    QT_TRANSLATE_NOOP("declared", "comparison"),
    QT_TRANSLATE_NOOP("declared", "copying costs to the GPU"),
    QT_TRANSLATE_NOOP("declared", "copying distances from the GPU"),
    QT_TRANSLATE_NOOP("declared", "density"),
    QT_TRANSLATE_NOOP("declared", "distances"),
    QT_TRANSLATE_NOOP("declared", "edges"),
    QT_TRANSLATE_NOOP("declared", "equalising electronegativities"),
    QT_TRANSLATE_NOOP("declared", "finding paths on the GPU"),
    QT_TRANSLATE_NOOP("declared", "forces"),
    QT_TRANSLATE_NOOP("declared", "histogram"),
    QT_TRANSLATE_NOOP("declared", "interpolation"),
    QT_TRANSLATE_NOOP("declared", "inverse"),
    QT_TRANSLATE_NOOP("declared", "label map"),
    QT_TRANSLATE_NOOP("declared", "linear map"),
    QT_TRANSLATE_NOOP("declared", "looking for DICOM series"),
    QT_TRANSLATE_NOOP("declared", "measures"),
    QT_TRANSLATE_NOOP("declared", "mesh"),
    QT_TRANSLATE_NOOP("declared", "multipoles"),
    QT_TRANSLATE_NOOP("declared", "natural"),
    QT_TRANSLATE_NOOP("declared", "orthonormality"),
    QT_TRANSLATE_NOOP("declared", "outlines"),
    QT_TRANSLATE_NOOP("declared", "overlap matrix"),
    QT_TRANSLATE_NOOP("declared", "pairs of functions"),
    QT_TRANSLATE_NOOP("declared", "placing water"),
    QT_TRANSLATE_NOOP("declared", "read"),
    QT_TRANSLATE_NOOP("declared", "potential"),
    QT_TRANSLATE_NOOP("declared", "reading"),
    QT_TRANSLATE_NOOP("declared", "reading frames"),
    QT_TRANSLATE_NOOP("declared", "reading pages"),
    QT_TRANSLATE_NOOP("declared", "reading pixels"),
    QT_TRANSLATE_NOOP("declared", "reading slices"),
    QT_TRANSLATE_NOOP("declared", "reading the map"),
    QT_TRANSLATE_NOOP("declared", "reading the slice"),
    QT_TRANSLATE_NOOP("declared", "reading voxels"),
    QT_TRANSLATE_NOOP("declared", "RT structure set"),
    QT_TRANSLATE_NOOP("declared", "segmentation"),
    QT_TRANSLATE_NOOP("declared", "signed distance"),
    QT_TRANSLATE_NOOP("declared", "snapping to edges"),
    QT_TRANSLATE_NOOP("declared", "sums"),
    QT_TRANSLATE_NOOP("declared", "surface"),
    QT_TRANSLATE_NOOP("declared", "wires"),
    QT_TRANSLATE_NOOP("declared", "writing"),
    QT_TRANSLATE_NOOP("declared", "writing charges"),
    QT_TRANSLATE_NOOP("declared", "writing copies"),
    QT_TRANSLATE_NOOP("declared", "writing the cube file"),
    QT_TRANSLATE_NOOP("declared", "writing the map"),
};

}  // namespace

QString translated(const std::string& text) {
  return text.empty() ? QString() : QCoreApplication::translate("declared", text.c_str());
}

parameters::Description translated(parameters::Description description) {
  const auto translate = [](std::string& text) { text = translated(text).toStdString(); };
  translate(description.label);
  translate(description.help);
  translate(description.group);
  for (auto& choice : description.choices) translate(choice.label);
  for (auto& special : description.special_values) translate(special.label);
  return description;
}

std::string in_words(std::string key) {
  if (!key.empty()) key[0] = upper_case(key[0]);
  std::ranges::replace(key, '-', ' ');
  return key;
}

QString capitalised(const std::string& key) {
  return translated(in_words(key));
}

}  // namespace isolume::workbench
