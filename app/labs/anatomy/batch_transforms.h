#pragma once

namespace CLI {
class App;
}
namespace isolume::batch {
struct Context;
}

namespace isolume::labs::anatomy {

/// Adds the verbs that use transforms and label maps: warp, compose, invert, jacobian, labels.
void add_transform_verbs(CLI::App& lab, batch::Context& context);

}  // namespace isolume::labs::anatomy
