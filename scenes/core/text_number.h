#pragma once
// Numbers as text in data files: the whole word must be the number, whatever the locale.

#include <optional>
#include <string_view>

namespace aqbench {

// "1.5", "+1", "-2e-3", "nan", "inf"; nullopt for anything else, and for numbers beyond the type's range.
// Ones too small for the type become 0, as any writer of that type would have rounded them.
std::optional<double> parse_double(std::string_view word);
std::optional<float> parse_float(std::string_view word);

}  // namespace aqbench
