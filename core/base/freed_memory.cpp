#include "core/base/freed_memory.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace isolume {

void return_freed_memory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

}  // namespace isolume
