#pragma once

#include <string>

#include "app/batch/context.h"
#include "core/molecules/document.h"
#include "core/orbitals/parameters.h"

namespace isolume::batch {

/// Reads a file for a subcommand: its remarks go to `err`, one line each.
molecules::Document read(Context& context, const std::string& file, double progress_until = 1);

/// Says on `err` what --spin beta can mean where one list of orbitals serves both spins.
void explain_spin(Context& context, const std::string& file, const molecules::Document& document,
                  const orbitals::FieldParameters& parameters);

/// The document's wavefunction, or InputError when the file holds none.
const molecules::Wavefunction& wavefunction_of(const molecules::Document& document);

}  // namespace isolume::batch
