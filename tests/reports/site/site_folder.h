#pragma once
// What the tests of sites share.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "core/files.h"
#include "reports/site/site.h"
#include "tests/temporary_directory.h"

namespace aqbench {

// A folder for each test, and in it a site of the bundles below out/.
class SiteFolder : public ::testing::Test {
 protected:
  SiteSummary write() const { return write_site(request_); }
  // Also expects that nothing was amiss.
  SiteSummary write_well() const {
    SiteSummary made = write();
    EXPECT_TRUE(made.problems.empty()) << made.problems.front();
    return made;
  }
  std::string page(const std::string& name) const { return read_file(folder_ / "site" / name); }

  const TemporaryDirectory folder_;
  const SiteRequest request_{{folder_ / "out"}, folder_ / "site"};
};

}  // namespace aqbench
