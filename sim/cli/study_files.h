#pragma once
// Where a study goes while it is made, network by network.

#include <fstream>
#include <memory>
#include <string>

#include "sim/cli/output.h"
#include "sim/study/study.h"

namespace layersim {

// A file that grows, or standard output for "-"; the file appears whole or not at all.
class GrowingFile {
 public:
  explicit GrowingFile(const std::string& file);  // empty: nothing is written
  // Throws bad_use naming the file when it cannot be written.
  void add(std::string_view text);
  void commit();

 private:
  std::string file_;
  std::unique_ptr<PendingFile> pending_;
  std::ofstream stream_;
};

class StudyFiles {
 public:
  // Names of files; "-": standard output; empty: none.
  StudyFiles(const StudyRequest& request, const std::string& json, const std::string& csv);
  void add(const NetworkStudy& study);
  void commit();

 private:
  const StudyRequest& request_;
  GrowingFile json_;
  GrowingFile csv_;
  bool is_first_ = true;
};

}  // namespace layersim
