#pragma once

namespace CLI {
class App;
}
namespace isolume::batch {
struct Context;
}

namespace isolume::labs::anatomy {

/// Adds `anatomy filter` and `anatomy statistics`.
void add_filter_verbs(CLI::App& lab, batch::Context& context);

}  // namespace isolume::labs::anatomy
