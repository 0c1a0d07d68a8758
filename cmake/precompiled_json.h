#pragma once
// What nearly every file would make of the JSON library again, made once. Precompiled headers alone include
// it (AqbenchPrecompile.cmake): without it everything compiles to the same, in more time.

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

// Their code stands in core/json_instances.cc.
extern template class nlohmann::basic_json<nlohmann::ordered_map>;
extern template class nlohmann::detail::serializer<nlohmann::ordered_json>;
extern template class nlohmann::detail::json_sax_dom_parser<nlohmann::ordered_json>;
extern template class nlohmann::detail::json_sax_dom_callback_parser<nlohmann::ordered_json>;
extern template class nlohmann::detail::lexer<
    nlohmann::ordered_json, nlohmann::detail::iterator_input_adapter<std::string::const_iterator>>;

namespace aqbench::precompiled {

// Whether JSON can be made of a type is asked of some 30 templates. A precompiled header keeps their answers,
// for a text of each length, too.
template <typename... Types>
constexpr bool json_takes() {
  return (std::is_constructible_v<nlohmann::ordered_json, Types> && ...);
}

template <std::size_t... Length>
constexpr bool json_takes_texts(std::index_sequence<Length...>) {
  return json_takes<const char(&)[Length + 1]...>();
}

static_assert(json_takes_texts(std::make_index_sequence<48>{}));
static_assert(json_takes<std::nullptr_t, const char*, std::string, std::string&, const std::string&,
                         std::string_view, std::string_view&, const std::string_view&>());
static_assert(json_takes<bool, bool&, const bool&, int, int&, const int&, double, double&, const double&,
                         std::size_t, std::size_t&, const std::size_t&>());
static_assert(json_takes<std::vector<double>, const std::vector<double>&, std::vector<std::string>,
                         const std::vector<std::string>&>());

}  // namespace aqbench::precompiled
