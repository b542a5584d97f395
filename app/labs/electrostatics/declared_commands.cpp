#include "app/labs/electrostatics/declared_commands.h"

namespace isolume::labs::electrostatics {

std::vector<commands::Declaration> declared_commands() {
  return {};
}

}  // namespace isolume::labs::electrostatics
