#pragma once
// "timing.details" of a record: what stands beside the samples. Internal to harness/records/record.cc.

#include "core/json.h"
#include "harness/records/record.h"

namespace aqbench {

bool has_timing_details(const Timing& timing);
Json timing_details_json(const Timing& timing);
void read_timing_details(const JsonPlace& place, Timing& timing);  // throws as record_from_json()

}  // namespace aqbench
