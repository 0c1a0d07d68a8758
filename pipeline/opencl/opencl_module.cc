// The table of the module `opencl`.
#include "pipeline/opencl/device.h"

extern "C" const aqbench::opencl::Table aqbench_opencl_table;
const aqbench::opencl::Table aqbench_opencl_table = {.devices = &aqbench::opencl::list_devices,
                                                     .make_sweep = &aqbench::opencl::make_sweep,
                                                     .make_maps = &aqbench::opencl::make_maps,
                                                     .make_job = &aqbench::opencl::make_job,
                                                     .busy_ms = &aqbench::opencl::busy_ms,
                                                     .report_memory_to = &aqbench::opencl::report_memory_to};
