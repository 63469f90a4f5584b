#pragma once
// Rows on their way into the store. A store is replaced as a whole (sim/store/store_lock.h), which is too
// much for every sample; so each row is first a line of the file <store>.journal, on the disk when append()
// returns, and the journal's rows go into the store many at a time. A sampler that is killed leaves its
// journal; the next one with the same store takes it in first.

#include <string>
#include <vector>

#include "sampler/sample_row.h"
#include "sim/store/file_descriptor.h"
#include "sim/store/store_lock.h"

namespace layersim {

class Journal {
 public:
  // Opens the journal of the store, or makes it. What a killed writer left of a last line is cut off. Throws
  // bad_use when another process samples into the store or the file cannot be written, bad_input when it is
  // no journal.
  explicit Journal(const std::string& store);

  // JSON of the campaign that the rows are from; empty in an empty journal.
  [[nodiscard]] const std::string& campaign() const { return campaign_; }
  [[nodiscard]] const std::vector<SampleRow>& rows() const { return rows_; }

  // To be called on an empty journal, before the first row.
  void begin(const std::string& campaign);
  void append(SampleRow row);
  // Once its rows are in the store.
  void clear();
  // The same, and the file goes too.
  void remove();

 private:
  void read();
  void write_line(const std::string& line);

  std::string path_;
  StoreLock lock_;
  FileDescriptor file_;
  std::string campaign_;
  std::vector<SampleRow> rows_;
};

}  // namespace layersim
