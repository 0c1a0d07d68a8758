#pragma once
// A gate's verdict as JUnit XML, in the form that Jenkins, GitLab and GitHub's reporters read
// (jenkins-junit.xsd): one test suite, a test case for each case of the baseline or the results.

#include <string>
#include <string_view>

#include "reports/gate.h"
#include "reports/results.h"

namespace aqbench {

// <failure> for what regressed, is missing or undefined; <error> for what failed, crashed, timed out or
// cannot be compared; <skipped> with the reason for what is not gated; nothing for what passed. There is a
// failure or an error exactly when the gate does not pass. Characters that XML 1.0 cannot hold are "?".
std::string junit_text(const GateReport& report, const Results& results);

// Text as it may stand in XML content and in attributes. Broken UTF-8 and control characters but the line
// break become "?"; a line break stays one in attributes too (&#10;).
std::string xml_escape(std::string_view text);

}  // namespace aqbench
