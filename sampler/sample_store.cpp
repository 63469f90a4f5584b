#include "sampler/sample_store.h"

#include <filesystem>
#include <map>
#include <utility>

#include "sim/core/error.h"
#include "sim/core/json.h"
#include "sim/store/store_reader.h"
#include "sim/store/store_writer.h"

namespace layersim {
namespace {

constexpr std::size_t kRowsInJournal = 500;

// Members of the settings of a record.
constexpr const char* kCampaign = "campaign";
constexpr const char* kProblems = "problems";

std::string member(const Json& settings, const char* name) {
  const auto found = settings.is_object() ? settings.find(name) : settings.end();
  return found != settings.end() && found->is_string() ? found->get<std::string>() : "";
}

Json settings_of(const Provenance& record) { return Json::parse(record.settings, nullptr, false); }

IndexSet done_in(const std::vector<Provenance>& records, const std::string& campaign) {
  IndexSet done;
  for (const Provenance& record : records) {
    const Json settings = settings_of(record);
    if (member(settings, kCampaign) == campaign) done.add(IndexSet(member(settings, kProblems)));
  }
  return done;
}

// Number of the record of these rows, which is added if there is none.
std::int32_t record_of(StoreWriter& writer, const std::string& table, const Json& settings) {
  const std::string campaign = member(settings, kCampaign);
  for (std::size_t i = 0; i < writer.provenance().size(); ++i) {
    const Provenance& record = writer.provenance()[i];
    if (record.kind == table && member(settings_of(record), kCampaign) == campaign) {
      return static_cast<std::int32_t>(i);
    }
  }
  Provenance record = new_provenance(table);
  record.gpus = member(settings, "gpu");
  record.frameworks = member(settings, "stack");
  return writer.add_provenance(std::move(record));
}

// Rows that the store has already are left out: the process may have been killed between the store's commit
// and the end of the journal.
void write_rows(const std::string& path, const Journal& journal) {
  Json settings = Json::parse(journal.campaign(), nullptr, false);
  if (!settings.is_object()) throw bad_input(path + ".journal: line 1: is no journal of this program");
  StoreWriter writer(path, StoreWriter::Start::with_present_rows);
  IndexSet done = done_in(writer.provenance(), member(settings, kCampaign));
  std::map<std::string, Table> tables;
  for (const SampleRow& row : journal.rows()) {
    if (done.contains(row.index)) continue;
    append_row(tables.try_emplace(row.table, row.table).first->second, row);
    done.add(row.index);
  }
  if (tables.empty()) return;
  settings[kProblems] = done.to_text();
  for (const auto& [kind, table] : tables) {
    const std::int32_t number = record_of(writer, kind, settings);
    writer.append(table, number);
    writer.provenance(number).settings = settings.dump();
  }
  writer.commit();
}

}  // namespace

SampleStore::SampleStore(std::string path, CampaignFacts facts)
    : path_(std::move(path)), facts_(std::move(facts)), journal_(path_) {
  save();
  if (std::filesystem::exists(path_)) done_ = done_in(StoreReader(path_).provenance(), facts_.id);
}

void SampleStore::add(SampleRow row) {
  if (journal_.campaign().empty()) journal_.begin(facts_.settings);
  done_.add(row.index);
  journal_.append(std::move(row));
  if (journal_.rows().size() >= kRowsInJournal) save();
}

void SampleStore::save() {
  if (!journal_.rows().empty()) write_rows(path_, journal_);
  journal_.clear();
}

void SampleStore::finish() {
  save();
  journal_.remove();
}

}  // namespace layersim
