#pragma once
// The pictures of pages: where the errors are, and where one method is worse than another on the same scene.

#include <functional>
#include <string>
#include <vector>

#include "reports/content/bundle_content.h"
#include "reports/html/page.h"
#include "reports/html/pictures.h"

namespace aqbench {

// Returns HTML with a row of pictures for each case: the depths of a camera and their errors, and the cloud's
// errors and completeness seen from above. Empty without pictures and tiles.
std::string case_pictures(const Results& results, const ReportPictures& pictures);

// Returns one picture of a case as HTML: the errors of its cloud, else its depths; "" where it has none.
std::string case_picture(const Record& record, const ReportPictures& pictures);

// Puts a small copy of the map of case_pictures() into each cell about a case that has one.
void add_map_thumbnails(const Results& results, const ReportPictures& pictures, Table& table);

// Returns a small map of how much larger the distance to the true surface is in `worse`: red where it is,
// blue where it is smaller; below it the ends of its colours. "" where they share no tile.
std::string difference_map(const std::vector<ReportTile>& best, const std::vector<ReportTile>& worse);

// Returns the tiles of a case on side A or B of a comparison; none where there are none.
using TilesOfSide = std::function<std::vector<ReportTile>(const std::string& case_name, bool of_b)>;

// Returns where B is worse in the worst case, a picture for a card; "" where the sides share no tile of it.
std::string worst_places(const Verdicts& verdicts, const TilesOfSide& tiles_of);

// Returns the section of a page with pictures of the cases whose tiles differ on both sides, the first 12 in
// the order of the verdicts' cases, and counts the others; "" where none differs. `lead` says of what they
// are.
std::string tile_places_section(const Verdicts& verdicts, const TilesOfSide& tiles_of,
                                const std::string& lead);

// Returns the section of report.html: a row for each group of cases against the most accurate one of its
// scene, and for that one against the one with the greatest completeness at 2 mm, where it is another; over
// the first record of both that have the same seed. "" where no scene has two.
std::string rivals_section(const BundleContent& content, const ReportPictures& pictures);

// Returns in a sentence what a case loses to the best of its scene, or where; "" where it is the best.
std::string rival_words(const BundleContent& content, const ReportPictures& pictures,
                        const std::string& case_name);

}  // namespace aqbench
