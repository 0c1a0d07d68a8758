#include "harness/measuring/warm_heap.h"

#include <cstdlib>  // defines __GLIBC__ where that is the C library

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace aqbench {

void keep_freed_memory() {
#ifdef __GLIBC__
  ::mallopt(M_MMAP_MAX, 0);         // large blocks come from the heap, too
  ::mallopt(M_TRIM_THRESHOLD, -1);  // taken as SIZE_MAX: the heap never shrinks
#endif
}

}  // namespace aqbench
