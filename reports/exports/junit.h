#pragma once
// A gate's verdict as JUnit XML, in the form that Jenkins, GitLab and GitHub's reporters read
// (jenkins-junit.xsd): one test suite, with a test case for each case of the baseline or the results.

#include <string>

#include "harness/gating/verdicts.h"
#include "harness/records/results.h"

namespace aqbench {

// Returns the XML. A case has <failure> if it regressed, is missing or undefined; <error> if it failed,
// crashed, timed out or cannot be compared; <skipped> with the reason if it is not gated; and nothing if it
// passed. There is a failure or an error exactly when the gate does not pass. Characters that XML 1.0 cannot
// hold become "?".
std::string junit_text(const Verdicts& report, const Results& results);

}  // namespace aqbench
