#include "sim/cli/study_files.h"

#include "sim/core/error.h"
#include "sim/report/study_report.h"

namespace layersim {

GrowingFile::GrowingFile(const std::string& file) : file_(file) {
  if (file.empty() || file == "-") return;
  pending_ = std::make_unique<PendingFile>(file);
  stream_.open(pending_->path(), std::ios::binary);
  if (!stream_) throw bad_use(file + ": cannot be written");
}

void GrowingFile::add(std::string_view text) {
  if (file_.empty()) return;
  if (!pending_) {
    print(text);
    return;
  }
  stream_ << text;
  if (!stream_) throw bad_use(file_ + ": cannot be written");
}

void GrowingFile::commit() {
  if (!pending_) return;
  stream_.close();
  if (!stream_) throw bad_use(file_ + ": cannot be written");
  pending_->commit();
}

StudyFiles::StudyFiles(const StudyRequest& request, const std::string& json, const std::string& csv)
    : request_(request), json_(json), csv_(csv) {
  if (!json.empty()) json_.add(study_json_head(request));
  if (!csv.empty()) csv_.add(study_csv_header());
}

void StudyFiles::add(const NetworkStudy& study) {
  if (!is_first_) json_.add(kStudyJsonSeparator);
  is_first_ = false;
  json_.add(study_json_network(request_, study));
  csv_.add(study_csv(request_, study));
}

void StudyFiles::commit() {
  json_.add(kStudyJsonTail);
  json_.commit();
  csv_.commit();
}

}  // namespace layersim
