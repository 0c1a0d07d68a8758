#include "harness/measuring/symbols.h"

#include <gtest/gtest.h>

namespace aqbench {
namespace {

TEST(ReadableFunction, IsDemangledWithoutAnonymousNamespaces) {
  EXPECT_EQ(readable_function("_ZN7aqbench12_GLOBAL__N_14warpEid"), "aqbench::warp(int, double)");
  EXPECT_EQ(readable_function("main"), "main");
  EXPECT_EQ(readable_function(""), "");
}

TEST(ReadableFunction, OfAWrapperIsTheFunctionThatItCalls) {
  // std::function<void(int)> around the first lambda of aqbench::fill(int), and around a plain function.
  EXPECT_EQ(
      readable_function("_ZNSt17_Function_handlerIFviEZN7aqbench4fillEiEUliE_E9_M_invokeERKSt9_Any_dataOi"),
      "aqbench::fill(int)::{lambda(int)#1}");
  EXPECT_EQ(readable_function("_ZNSt17_Function_handlerIFviEPS0_E9_M_invokeERKSt9_Any_dataOi"),
            "void (*)(int)");
}

TEST(ReadableFunction, LongArgumentsAreLeftOut) {
  std::string symbol = "_ZN7aqbench4warpE";
  for (int i = 0; i < 40; ++i) symbol += "Pfi";
  EXPECT_EQ(readable_function(symbol), "aqbench::warp(...)");
}

}  // namespace
}  // namespace aqbench
