#pragma once
// Where a study goes while it is made, network by network.

#include <string>

#include "sim/cli/output.h"
#include "sim/report/report.h"
#include "sim/study/study.h"

namespace layersim {

// Names of files; "-": standard output; empty: none.
struct StudyFileNames {
  std::string json;
  std::string csv;
  std::string html;
  std::string svg_folder;  // made where it is missing
};

class StudyFiles {
 public:
  StudyFiles(const StudyRequest& request, StudyFileNames names);
  // Whether pictures are wanted, and so a prediction of the fastest choice.
  [[nodiscard]] bool draws() const { return !names_.html.empty() || !names_.svg_folder.empty(); }
  // `fastest`: a prediction of the fastest choice; nullptr: none.
  void add(const NetworkStudy& study, const Report* fastest);
  void commit();

 private:
  void draw(const NetworkStudy& study, const Report* fastest);

  const StudyRequest& request_;
  StudyFileNames names_;
  GrowingFile json_;
  GrowingFile csv_;
  GrowingFile html_;
  bool is_first_ = true;
};

}  // namespace layersim
