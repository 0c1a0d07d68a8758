// Instantiates the JSON library's templates once; the precompiled headers declare them extern
// (cmake/precompiled_json.h). Without precompiled headers every file instantiates its own.
#include <nlohmann/json.hpp>
#include <string>

template class nlohmann::basic_json<nlohmann::ordered_map>;
template class nlohmann::detail::serializer<nlohmann::ordered_json>;
template class nlohmann::detail::json_sax_dom_parser<nlohmann::ordered_json>;
template class nlohmann::detail::json_sax_dom_callback_parser<nlohmann::ordered_json>;
template class nlohmann::detail::lexer<nlohmann::ordered_json,
                                       nlohmann::detail::iterator_input_adapter<std::string::const_iterator>>;
