#pragma once
// Tests on a device are skipped with the reason where this machine or build has none.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/error.h"
#include "pipeline/opencl/opencl.h"

namespace aqbench::test {

// Returns the first device; empty with the reason in `why` if there is none.
inline std::vector<opencl::DeviceInfo> devices_here(std::string& why) {
  try {
    std::vector<opencl::DeviceInfo> devices = opencl::table().devices();
    why = devices.empty() ? "no OpenCL driver has a device" : "";
    return devices;
  } catch (const Error& error) {
    why = error.what();
    return {};
  }
}

// Skips its tests without a device.
class OnDevice : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    const std::vector<opencl::DeviceInfo> devices = devices_here(why);
    if (devices.empty()) GTEST_SKIP() << why;
    info = devices.front();
  }
  opencl::DeviceInfo info;
};

}  // namespace aqbench::test
