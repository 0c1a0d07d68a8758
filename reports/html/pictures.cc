#include "reports/html/pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "harness/records/case_result.h"
#include "harness/records/profile_details.h"
#include "harness/scoring/depth_pictures.h"
#include "harness/viewing/cloud_view.h"

namespace aqbench {
namespace {

// Returns the numbers of fields, NaN for an empty one; nullopt where one is other text.
std::optional<std::vector<double>> numbers_of(std::span<const std::string_view> fields) {
  std::vector<double> numbers;
  for (const std::string_view field : fields) {
    const auto number =
        field.empty() ? std::optional(std::numeric_limits<double>::quiet_NaN()) : parse_double(field);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

bool is_index(double value) { return value >= 0 && value < 10000 && value == std::floor(value); }

constexpr std::string_view kPhotograph = "photograph";

bool is_plain_picture(std::string_view file, std::string_view kind) {
  return file.ends_with(kind == kPhotograph ? ".jpg" : ".png") &&
         file.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.") == file.npos &&
         !file.starts_with('.');
}

// Passes the fields of each line of a table on, except for its header. Throws Error(input) naming the line
// that `take` refuses.
template <class Take>
void for_each_row(std::string_view csv, std::string_view header, const std::string& source,
                  const Take& take) {
  std::size_t number = 0, taken = 0;
  for (const std::string_view line : split_at(csv, '\n')) {
    if ((++number == 1 && line.starts_with(header)) || line.empty()) continue;
    if (!take(split_at(line, ',')))
      throw input_error.of_file(source, "line {}: is no row of this table: '{}'", number,
                                printable(line.substr(0, 40)));
    ++taken;
  }
  if (taken == 0) throw input_error.of_file(source, "has no row");
}

// A picture of a bundle before its file is read.
struct ListedPicture {
  std::size_t camera;  // the place of its camera among those of its case
  std::string case_name;
  std::filesystem::path file;
  ReportPicture picture;
};

// The pictures that are there, the first camera of every case, then the second of every case, and so on, so
// that what has no room is the last cameras of all.
std::vector<ListedPicture> list_pictures(const std::filesystem::path& bundle, const Results& results) {
  constexpr std::uintmax_t kMaxListBytes = 1 << 20;
  std::vector<ListedPicture> all;
  for (const Record& record : results.records) {
    const std::filesystem::path folder = bundle / kPicturesFolder / file_name_of(record.case_name);
    if (!path_exists(folder / kPictureListName)) continue;
    std::vector<std::string> cameras;
    for (ReportPicture& picture : parse_picture_list(read_text_file(folder / kPictureListName, kMaxListBytes),
                                                     (folder / kPictureListName).string())) {
      const std::filesystem::path file = folder / picture.file;
      if (!path_exists(file)) continue;
      if (std::ranges::find(cameras, picture.camera) == cameras.end()) cameras.push_back(picture.camera);
      const auto place = std::ranges::find(cameras, picture.camera) - cameras.begin();
      all.push_back({static_cast<std::size_t>(place), record.case_name, file, std::move(picture)});
    }
  }
  std::ranges::stable_sort(all, {}, &ListedPicture::camera);
  return all;
}

// The photographs of a page, equal ones once. Where not all have room the last ones are made smaller, and
// where that is not enough they are left out.
class PhotographRoom {
 public:
  // Returns a photograph, which may become smaller as long as others are taken; null without room.
  std::shared_ptr<const SmallPhotograph> take(const std::filesystem::path& file) {
    if (regular_file_size(file) > kMaxBytes) return nullptr;
    const auto [place, is_new] = by_bytes_.try_emplace(read_file(file, kMaxBytes));
    const auto& [bytes, photograph] = *place;
    if (is_new && !is_full_) {
      place->second = std::make_shared<SmallPhotograph>(SmallPhotograph{bytes, 1});
      taken_.push_back({&bytes, photograph, file.string()});
      bytes_ += bytes.size();
      for (const int times : {1, 2})
        for (auto one = taken_.rbegin(); bytes_ > kMaxBytes && one != taken_.rend(); ++one)
          shrink(*one, times);
      is_full_ = bytes_ > kMaxBytes;
    }
    if (!is_new || !is_full_) return photograph;
    if (!taken_.empty() && taken_.back().whole == &bytes) taken_.pop_back();
    by_bytes_.erase(place);
    return nullptr;
  }

 private:
  static constexpr std::uintmax_t kMaxBytes = 1 << 19;
  struct Taken {
    const std::string* whole;  // as it is in the bundle
    std::shared_ptr<SmallPhotograph> photograph;
    std::string file;
    int times = 0;  // 1: about half as wide, 2: as small as photographs are
  };

  void shrink(Taken& one, int times) {
    if (one.times >= times) return;
    one.times = times;
    bytes_ -= one.photograph->jpeg.size();
    if (auto small = small_photograph(*one.whole, one.file, times == 1 ? one.whole->size() / 3 : 0);
        small.every_px > 1)
      *one.photograph = std::move(small);
    bytes_ += one.photograph->jpeg.size();
  }

  std::vector<Taken> taken_;
  std::map<std::string, std::shared_ptr<SmallPhotograph>> by_bytes_;
  std::uintmax_t bytes_ = 0;
  bool is_full_ = false;
};

void read_pictures(const std::filesystem::path& bundle, const Results& results, ReportPictures& found) {
  std::uintmax_t left = std::uintmax_t{3} << 18;
  PhotographRoom photographs;
  for (ListedPicture& one : list_pictures(bundle, results)) {
    if (one.picture.kind == kPhotograph) {
      if (auto image = photographs.take(one.file))
        found.photographs[one.case_name].push_back(
            {one.picture.camera, one.picture.every_px, std::move(image)});
      else
        ++found.photographs_left_out;
      continue;
    }
    found.kinds[one.case_name].insert(one.picture.kind);
    if (const std::uintmax_t size = regular_file_size(one.file); size > left) {
      ++found.left_out;
    } else {
      left -= size;
      one.picture.bytes = read_file(one.file, size);
      found.pictures[one.case_name].push_back(std::move(one.picture));
    }
  }
}

constexpr std::size_t kLeastBytes = 8 << 10;  // of a view that is worth turning
constexpr std::size_t kThinHoles = 5000;

// Throws Error(input) naming the file of the bundle.
CloudView read_view(const std::string& bytes, const std::string& case_name) {
  return decode_view(bytes, case_file(kViewerFolder, case_name, ".bin"));
}

// Leaves out points until the view has at most `most` bytes, and the rays of cameras where they alone would
// take a third of these. A view of few bytes is not decoded for that.
std::string fitted(const std::string& bytes, const std::string& name, std::size_t most) {
  if (bytes.size() <= most) return bytes;
  if (most < kLeastBytes) return "";
  CloudView view = read_view(bytes, name);
  constexpr std::size_t kRayPointBytes = 6;  // as measured
  if (kRayPointBytes * view.rays.size() > most / 3) view.rays.clear();
  const auto next = [](std::size_t every) { return every + every / 4 + 1; };
  const std::size_t first = std::max<std::size_t>(1, bytes.size() / most), end = view.points.size() + 1;
  std::size_t last = first;
  while (next(last) <= end) last = next(last);
  // The fewest points first: where they do not fit, none do, and nothing else is tried.
  std::string fewest = first > end ? "" : encode_view(thinned(view, last, kThinHoles));
  if (fewest.size() > most) return "";
  for (std::size_t every = first; every < last; every = next(every))
    if (std::string thin = encode_view(thinned(view, every, kThinHoles)); thin.size() <= most) return thin;
  return fewest;
}

}  // namespace

ReportPictures read_report_pictures(const std::filesystem::path& bundle, const Results& results) {
  constexpr std::uintmax_t kMaxViewBytes = std::uintmax_t{64} << 20;
  ReportPictures found;
  for (const Record& record : results.records) {
    const std::filesystem::path tiles = bundle / case_file(kTilesFolder, record.case_name, ".csv");
    if (path_exists(tiles))
      found.tiles[record.case_name] = parse_tiles_csv(read_text_file(tiles), tiles.string());
    const std::filesystem::path diagnosis = bundle / case_file(kDiagnosisFolder, record.case_name, ".csv");
    if (path_exists(diagnosis))
      found.biases_mm[record.case_name] = parse_camera_biases(read_text_file(diagnosis));
    const std::filesystem::path view = bundle / case_file(kViewerFolder, record.case_name, ".bin");
    if (path_exists(view)) {
      std::string& bytes = found.views[record.case_name] = read_file(view, kMaxViewBytes);
      (void)decode_view(bytes, view.string());  // here its whole name is known
    }
    const std::filesystem::path stacks = bundle / profile_file(record.case_name, kProfileStacksFile);
    if (path_exists(stacks)) found.stacks[record.case_name] = read_text_file(stacks, kMaxViewBytes);
  }
  read_pictures(bundle, results, found);
  return found;
}

std::vector<double> parse_camera_biases(std::string_view csv) {
  std::vector<double> biases_mm;
  for (const std::string_view line : split_at(csv, '\n')) {
    const std::vector<std::string_view> fields = split_at(line, ',');
    if (fields.size() != 4 || fields[0] != "bias") continue;
    if (const auto bias_mm = parse_double(fields[2]); bias_mm && std::isfinite(*bias_mm))
      biases_mm.push_back(*bias_mm);
  }
  return biases_mm;
}

std::vector<ReportPicture> parse_picture_list(std::string_view csv, const std::string& source) {
  std::vector<ReportPicture> pictures;
  for_each_row(csv, "file,", source, [&](const std::vector<std::string_view>& fields) {
    if (fields.size() != 9 || !is_plain_picture(fields[0], fields[1])) return false;
    const auto numbers = numbers_of(std::span(fields).subspan(4));
    if (!numbers || !std::isfinite((*numbers)[0]) || !std::isfinite((*numbers)[1]) ||
        !is_index((*numbers)[2]))
      return false;
    const std::vector<std::string> texts(fields.begin(), fields.begin() + 4);
    pictures.push_back({texts[0], texts[1], texts[2], texts[3], (*numbers)[0], (*numbers)[1],
                        static_cast<int>((*numbers)[2]), (*numbers)[3], (*numbers)[4], ""});
    return true;
  });
  return pictures;
}

TilePlace place_of(const ReportTile& tile) {
  return {tile.x_min_mm, tile.y_min_mm, tile.x_max_mm, tile.y_max_mm};
}

std::map<TilePlace, ReportTile> tiles_by_place(std::span<const ReportTile> tiles) {
  std::map<TilePlace, ReportTile> places;
  for (const ReportTile& tile : tiles) places[place_of(tile)] = tile;
  return places;
}

std::vector<ReportTile> parse_tiles_csv(std::string_view csv, const std::string& source) {
  std::vector<ReportTile> tiles;
  for_each_row(csv, "column,", source, [&](const std::vector<std::string_view>& fields) {
    const auto numbers = numbers_of(fields);
    if (!numbers || numbers->size() != 10) return false;
    const std::vector<double>& values = *numbers;
    if (!is_index(values[0]) || !is_index(values[1])) return false;
    if (!(values[8] > values[2]) || !(values[9] > values[3])) return false;  // also without corners
    tiles.push_back({static_cast<int>(values[0]), static_cast<int>(values[1]), values[2], values[3],
                     values[8], values[9], values[5], values[7]});
    return true;
  });
  return tiles;
}

std::vector<std::pair<std::string, std::string>> fit_views(const std::map<std::string, std::string>& views,
                                                           const Results& results, std::size_t budget) {
  std::vector<std::pair<std::string, std::string>> blocks;  // id and bytes
  std::vector<std::pair<std::size_t, const Record*>> by_size;
  for (const Record& record : results.records)
    if (const auto found = views.find(record.case_name); found != views.end()) {
      blocks.emplace_back(fmt::format("cloud-{}", &record - results.records.data()), found->second);
      by_size.emplace_back(blocks.size() - 1, &record);
    }
  // The small ones first: what they leave of their share is for the large ones.
  std::ranges::stable_sort(by_size, {}, [&](const auto& one) { return blocks[one.first].second.size(); });
  std::size_t left = by_size.size();
  for (const auto& [place, record] : by_size) {
    std::string& bytes = blocks[place].second;
    bytes = fitted(bytes, record->case_name, budget / left--);
    budget -= bytes.size();
  }
  std::erase_if(blocks, [](const auto& block) { return block.second.empty(); });
  return blocks;
}

}  // namespace aqbench
