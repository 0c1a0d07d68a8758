#pragma once
// Relations between metrics beside those of metric_range.h: of normals, of confident points, and of metrics
// that a score has together.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/metric.h"

namespace aqbench {

// Returns what cannot be true in the metrics of one scored cloud, one line each, the metric's name first: a
// mean or median of the angles of normals that the shares within the angles do not allow, a precision of
// confident points that no part of all points can have, a spread of errors larger than their sizes allow, a
// mesh without parts that lies over the patch, likenesses of no points. `scored` is the number of scored
// points, where it is known.
std::vector<std::string> relation_problems(const MetricSet& metrics, std::optional<double> scored);

// The kinds of output of a method; each brings its metrics into the score.
enum class MetricFamily { normals, mesh, depths, diagnosis, seen_by_two, recorded };

// Returns the names of a set's metrics that are of a family.
std::vector<std::string> names_of_family(const MetricSet& metrics, MetricFamily family);

// Returns the names of the metrics of a family that a set lacks, where it has one of them at least or
// `expected` says that it has all.
std::vector<std::string> missing_of_family(const MetricSet& metrics, MetricFamily family, bool expected);

// Returns what of the family `recorded` cannot be in a set of metrics, one line each, the metric's name
// first: one of a board or of control points that a recording with this truth ("surface+depth+control") does
// not have, and one that is missing although every recording with such a truth has it; nothing without a
// truth.
std::vector<std::string> recorded_problems(const MetricSet& metrics, std::string_view truth);

// Returns whether a score can have a metric of this name: those of the registry, and those whose name says
// another tolerance, or another size of tiles or outliers.
bool is_metric_name(std::string_view name);

}  // namespace aqbench
