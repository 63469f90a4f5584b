#include "sim/cli/study_files.h"

#include <cctype>
#include <filesystem>

#include "sim/report/study_report.h"

namespace layersim {
namespace {

// "nets/my net.onnx" -> "my_net"
std::string file_stem(const std::string& network) {
  std::string stem = std::filesystem::path(network).stem().string();
  for (char& c : stem) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '.') c = '_';
  }
  return stem;
}

}  // namespace

StudyFiles::StudyFiles(const StudyRequest& request, StudyFileNames names)
    : request_(request), names_(std::move(names)), json_(names_.json), csv_(names_.csv), html_(names_.html) {}

void StudyFiles::add(const NetworkStudy& study, const Report* fastest) {
  // Only now: an error in the first network leaves nothing behind.
  if (is_first_) {
    json_.add(study_json_head(request_));
    csv_.add(study_csv_header());
    html_.add(study_html_head(request_));
  } else {
    json_.add(kStudyJsonSeparator);
  }
  is_first_ = false;
  json_.add(study_json_network(request_, study));
  csv_.add(study_csv(request_, study));
  if (draws()) draw(study, fastest);
}

void StudyFiles::draw(const NetworkStudy& study, const Report* fastest) {
  const auto pictures = study_pictures(request_, study, fastest);
  html_.add(study_html_network(request_, study, pictures));
  if (names_.svg_folder.empty()) return;
  std::error_code ignored;
  std::filesystem::create_directories(names_.svg_folder, ignored);
  for (const StudyPicture& picture : pictures) {
    const std::string file = file_stem(study.network) + '-' + picture.name + ".svg";
    write_text((std::filesystem::path(names_.svg_folder) / file).string(), picture.svg);
  }
}

void StudyFiles::commit() {
  json_.add(kStudyJsonTail);
  html_.add(study_html_tail(request_));
  json_.commit();
  csv_.commit();
  html_.commit();
}

}  // namespace layersim
