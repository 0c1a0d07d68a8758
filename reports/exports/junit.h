#pragma once
// A gate's verdict as JUnit XML, in the form that Jenkins, GitLab and GitHub's reporters read
// (jenkins-junit.xsd): one test suite, a test case for each case of the baseline or the results.

#include <string>
#include <string_view>

#include "harness/gating/gate.h"
#include "harness/records/results.h"

namespace aqbench {

// <failure> for what regressed, is missing or undefined; <error> for what failed, crashed, timed out or
// cannot be compared; <skipped> with the reason for what is not gated; nothing for what passed. There is a
// failure or an error exactly when the gate does not pass. Characters that XML 1.0 cannot hold are "?".
std::string junit_text(const GateReport& report, const Results& results);

}  // namespace aqbench
