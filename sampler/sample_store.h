#pragma once
// The store of a campaign: knows which of its problems are done, and keeps each row from the moment that
// add() returns, whatever happens to the process (see journal.h).

#include <string>

#include "sampler/index_set.h"
#include "sampler/journal.h"

namespace layersim {

// What makes rows belong together, and what else to know of them: the settings in their provenance record.
struct CampaignFacts {
  std::string id;        // the same seed, sweep, device and software have the same
  std::string gpu;       // key of the device
  std::string stack;     // "libtorch1.13"
  std::string settings;  // JSON object, which tells `id` as its member "campaign"
};

class SampleStore {
 public:
  // Takes in what an earlier process left in the journal. The store is made with the first rows. Throws as
  // Journal and StoreWriter do.
  SampleStore(std::string path, CampaignFacts facts);

  // Problems of this campaign, skipped ones included.
  [[nodiscard]] const IndexSet& done() const { return done_; }
  // On return the row is on the disk.
  void add(SampleRow row);
  // All rows into the store.
  void save();
  // The same at the end: leaves no journal.
  void finish();

 private:
  std::string path_;
  CampaignFacts facts_;
  Journal journal_;
  IndexSet done_;
};

}  // namespace layersim
