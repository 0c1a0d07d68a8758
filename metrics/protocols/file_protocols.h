#pragma once
// Protocols of what is no cloud, in families: depth maps, point maps, images, poses. Each is a setting of the
// knobs of its family.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "metrics/metric.h"
#include "metrics/protocols/explain.h"
#include "metrics/protocols/knobs.h"
#include "metrics/protocols/protocol_result.h"

namespace aqbench {

// What a metric of a protocol is.
struct ProtocolMetric {
  std::string name;  // "eth3d_precision_20mm_pct", "dtu_overall_mm", "video_depth_abs_rel"
  std::string unit;
  Better better = Better::lower;
  std::string definition;  // with the protocol's name and all knobs that differ from those of all protocols
  std::string title;       // "eth3d precision 20 mm [%]"
};

// A protocol as it is asked for, "dtu" or "dtu:thinning_m=0.0005:cull_dilate=disk:24".
struct ProtocolText {
  std::string_view name;
  std::vector<std::pair<std::string_view, std::string>> knobs;
};

// Takes such a text apart. Throws Error(usage) for a part that is no KNOB=VALUE.
ProtocolText protocol_text(std::string_view text);

// What the protocols of a family score, in the order of file_protocol_families().
enum class FileKind { depth_maps, point_maps, images, poses, pose_sets, calibrations };

// Returns the name of a kind: "depth_maps".
std::string kind_name(FileKind kind);

// A protocol of a family.
struct FileProtocol {
  const char *name, *summary, *source;
  Setting setting;
};

// A family: its protocols and knobs, and what a setting gives for a few made-up numbers, of which only the
// names and units matter.
struct FileProtocolFamily {
  FileKind kind{};
  std::vector<FileProtocol> protocols;
  std::vector<SearchedKnob> knobs;
  decltype(SearchedFamily::with) with;
  decltype(SearchedFamily::score) of_sample;
};

// Makes a family.
template <class Knobs>
FileProtocolFamily file_protocol_family(FileKind kind, std::span<const KnobProtocol<Knobs>> protocols,
                                        std::span<const Knob<Knobs>> table,
                                        std::function<ProtocolResult(const Knobs&)> of_sample) {
  SearchedFamily searched = searched_family<Knobs>(table, std::move(of_sample));
  FileProtocolFamily family{
      kind, {}, std::move(searched.knobs), std::move(searched.with), std::move(searched.score)};
  for (const auto& one : protocols)
    family.protocols.push_back({one.name, one.summary, one.source, setting_of(table, one.knobs)});
  return family;
}

// Returns all families of metrics/protocols/, which sweeps have, too.
std::span<const FileProtocolFamily> file_protocol_families();

// A protocol with its knobs: "video-depth" or "video-depth:align=lad:max_m=70".
struct AskedFileProtocol {
  const FileProtocolFamily* family = nullptr;
  const FileProtocol* protocol = nullptr;
  Setting setting;

  const std::string& value_of(std::string_view knob) const;  // of this family
};

// Reads those of several protocols, separated by blanks, that are of files; others are passed over. Throws
// Error(usage) naming protocol or knob, and for a protocol that comes twice.
std::vector<AskedFileProtocol> parse_file_protocols(std::string_view text);

// Returns the numbers of a protocol as metrics of a record: "video_depth_abs_rel", "da3_auc_30deg".
MetricSet file_protocol_metrics(std::string_view protocol, const ProtocolResult& result);

// Returns the knobs that differ from the protocol's own.
std::vector<std::pair<std::string, std::string>> changed_knobs(const AskedFileProtocol& asked);

// Returns what is defined of a number of a protocol; `knobs`: "align=lad, max_m=70", or "".
std::string definition_of(const ProtocolValue& value, std::string_view protocol, std::string_view source,
                          std::string_view knobs);

// Returns the metrics that a protocol gives with these knobs, as far as they do not hang on the files.
std::vector<ProtocolMetric> metrics_of(const AskedFileProtocol& asked);

// Finds what a name of file_protocol_metrics() means, at any threshold; nullopt for another name.
std::optional<ProtocolMetric> find_file_protocol_metric(std::string_view name);

}  // namespace aqbench
