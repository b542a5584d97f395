#pragma once

#include "app/batch/context.h"
#include "app/batch/options.h"

namespace isolume::labs::anatomy {

/// `anatomy neuron` and `anatomy neuron-phantom`.
void add_neuron_verbs(CLI::App& lab, batch::Context& context);

}  // namespace isolume::labs::anatomy
