#pragma once
// Several tests at once: the chance of even one false rejection stays at alpha, however the tests depend on
// each other. Holm, "A simple sequentially rejective multiple test procedure", Scand. J. Statist. 6, 1979.

#include <span>
#include <vector>

namespace aqbench {

// Returns adjusted p-values in the order given: a test is rejected at alpha exactly if its adjusted p is at
// most alpha. Throws Error(input) "p_values[2] is 1.5, must be 0 to 1".
std::vector<double> holm(std::span<const double> p_values);

}  // namespace aqbench
