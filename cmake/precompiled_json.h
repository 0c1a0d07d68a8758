#pragma once
// Instantiates parts of the JSON library once that nearly every file needs. Included only by precompiled
// headers (AqbenchPrecompile.cmake): without it everything compiles the same, but slower.

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

// Instantiated in core/json_instances.cc.
extern template class nlohmann::basic_json<nlohmann::ordered_map>;
extern template class nlohmann::detail::serializer<nlohmann::ordered_json>;
extern template class nlohmann::detail::json_sax_dom_parser<nlohmann::ordered_json>;
extern template class nlohmann::detail::json_sax_dom_callback_parser<nlohmann::ordered_json>;
extern template class nlohmann::detail::lexer<
    nlohmann::ordered_json, nlohmann::detail::iterator_input_adapter<std::string::const_iterator>>;

namespace aqbench::precompiled {

// Caches in the precompiled header which of some 30 templates can convert a type to JSON, also for text of
// each length.
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
