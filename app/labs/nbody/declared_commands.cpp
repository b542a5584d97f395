#include "app/labs/nbody/declared_commands.h"

namespace isolume::labs::nbody {

std::vector<commands::Declaration> declared_commands() {
  return {};  // it has no window yet
}

}  // namespace isolume::labs::nbody
