#pragma once
// What a sweep varies: `--axis name=a,b,c`, `name=start:stop:step` (stop included), `name[pow2]=4:10`.

#include <string>
#include <string_view>
#include <vector>

namespace aqbench {

inline constexpr std::size_t kMaxAxisValues = 10000;

// Values as text, each once, numbers of a range in plain decimal without trailing zeros.
struct Axis {
  std::string name;
  std::vector<std::string> values;
};

// Parses the argument of --axis. Ranges step in exact decimal arithmetic: 0.1:0.5:0.1 ends in 0.5 and has no
// 0.30000000000000004. The step is 1 when left out and may be negative when stop < start. [pow2] takes a
// range or a list of exponents 0 to 62. Throws Error(usage) quoting the argument: malformed, a step that
// leads away from stop or is 0, a value twice, more than kMaxAxisValues values.
Axis parse_axis(std::string_view argument);

// Parses only the right-hand side, as used in suite files; `context` is what an error quotes.
std::vector<std::string> parse_axis_values(std::string_view values, bool powers_of_two,
                                           std::string_view context);

// The axes that are not a NAME.PARAMETER.
struct AxisSpec {
  std::string name;
  std::string help;
};
const std::vector<AxisSpec>& axis_registry();

}  // namespace aqbench
