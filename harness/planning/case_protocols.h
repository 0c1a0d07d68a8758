#pragma once
// Protocols of other benchmarks that a case computes beside its own metrics.

#include <string>
#include <vector>

#include "core/parameters.h"
#include "harness/records/case.h"
#include "metrics/protocols/asked_protocols.h"

namespace aqbench {

// Returns the parameter `names` of owner kProtocolsOwner: protocols with their knobs, separated by blanks.
const std::vector<ParameterSpec>& protocols_parameters();

// Returns the protocols of a case from its overrides. Throws Error(usage) naming protocol or knob.
std::vector<AskedProtocol> case_protocols(const Case& planned);

// Adds the protocols of a case to its defaults, since more of them change no other value, and each knob that
// is not its protocol's own to its options. Throws as case_protocols().
void add_protocols(Case& planned);

// Appends a protocol to those that the overrides have.
void ask_for_protocol(std::vector<Override>& sets, const std::string& protocol);

}  // namespace aqbench
