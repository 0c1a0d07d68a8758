#include "metrics/value_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace aqbench {

int worsening(Better better, double before, double after) {
  if (better == Better::equal || !(before < after || after < before)) return 0;
  return (after > before) == (better == Better::lower) ? 1 : -1;
}

const char* change_word(int worsening) {
  return worsening > 0 ? "worse" : worsening < 0 ? "better" : "other";
}

std::string change_text(Better better, double before, double after) {
  if (better == Better::equal || before == 0) return fmt::format("{:+.4g}", after - before);
  return fmt::format("{:+.3g} %", 100 * (after - before) / std::abs(before));
}

double worsening_share(Better better, double before, double after) {
  return worsening(better, before, after) * std::abs(after - before) / std::max(std::abs(before), 1e-12);
}

}  // namespace aqbench
