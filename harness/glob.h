#pragma once
// Shell patterns for names: * any text (a '/' too), ? one character, [abc] one of them.

#include <string>
#include <string_view>

namespace aqbench {

bool glob_matches(std::string_view pattern, std::string_view name);

// False for a plain name.
bool has_wildcard(std::string_view pattern);

}  // namespace aqbench
