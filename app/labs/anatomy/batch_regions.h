#pragma once

namespace CLI {
class App;
}
namespace isolume::batch {
struct Context;
}

namespace isolume::labs::anatomy {

/// Adds `anatomy cut`.
void add_region_verbs(CLI::App& lab, batch::Context& context);

}  // namespace isolume::labs::anatomy
