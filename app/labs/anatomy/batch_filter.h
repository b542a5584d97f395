#pragma once

namespace CLI {
class App;
}
namespace isolume::batch {
struct Context;
}

namespace isolume::labs::anatomy {

/// Adds `anatomy filter`.
void add_filter_verb(CLI::App& lab, batch::Context& context);

}  // namespace isolume::labs::anatomy
