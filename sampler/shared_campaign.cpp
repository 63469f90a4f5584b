#include "sampler/shared_campaign.h"

#include <chrono>
#include <exception>
#include <future>
#include <map>
#include <thread>

#include "sampler/noise_watch.h"
#include "sim/core/error.h"
#include "sim/core/json.h"

namespace layersim {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPause = std::chrono::milliseconds(1);
// A rank is given up at the end of the campaign when it has been silent for so long, or for four times as
// long as any problem has taken.
constexpr double kPatienceS = 10;
constexpr double kPatienceFactor = 4;

// Messages are JSON objects. To rank 0: {"facts": {...}} first, then {} to ask for a problem, with a "row"
// when there is one, or {"failed": "..."} last. From rank 0: {"gpu": ..., "stack": ...} first, then {"index":
// 7}, or
// {"end": true} last.

// What must be the same on all ranks.
Json facts_as_json(const Backend& backend, const CampaignOptions& options) {
  const BackendFacts facts = backend.facts();
  return {{"problems_from", options.problems_digest},
          {"device", facts.device},
          {"stack", facts.stack},
          {"library_version", facts.library_version},
          {"threads", facts.threads}};
}

void send(RankLink& link, int to, const Json& message) {
  link.send(to, message.dump(-1, ' ', true, Json::error_handler_t::replace));
}

// What rank 0 knows of another.
struct Follower {
  enum class State : unsigned char { expected, measuring, ended };
  State state = State::expected;
  Clock::time_point heard = Clock::now();
};

class Leader {
 public:
  Leader(RankLink& link, const Json& facts, const CampaignFacts& campaign, CampaignState& state)
      : link_(link), facts_(facts), campaign_(campaign), state_(state) {
    for (int rank = 1; rank < link.size(); ++rank) followers_[rank];
  }

  // Answers all messages that are there.
  void serve() {
    while (const auto message = link_.receive()) {
      Follower& follower = followers_.at(message->from);
      if (follower.state == Follower::State::measuring) {
        longest_s_ = std::max(longest_s_, seconds_since(follower.heard));
      }
      follower.heard = Clock::now();
      answer(message->from, follower, Json::parse(message->text));
    }
  }

  // Nobody is left, or only ranks that are silent: those are given up.
  [[nodiscard]] bool is_over() {
    const double patience_s = std::max(kPatienceS, kPatienceFactor * longest_s_);
    for (auto& [rank, follower] : followers_) {
      if (follower.state == Follower::State::ended) continue;
      if (seconds_since(follower.heard) < patience_s) return false;
      lose(rank, follower, "has been silent for " + std::to_string(static_cast<int>(patience_s)) + " s",
           true);
    }
    return true;
  }

  [[nodiscard]] std::vector<LostRank> lost() const { return lost_; }

 private:
  static double seconds_since(Clock::time_point time) {
    return std::chrono::duration<double>(Clock::now() - time).count();
  }

  void lose(int rank, Follower& follower, std::string reason, bool silent) {
    follower.state = Follower::State::ended;
    lost_.push_back({rank, std::move(reason), silent});
  }

  void answer(int rank, Follower& follower, const Json& message) {
    if (message.contains("failed")) return lose(rank, follower, message["failed"], false);
    if (message.contains("facts")) return greet(rank, follower, message["facts"]);
    if (message.contains("row")) {
      state_.add(row_of_line(message["row"].get<std::string>()), message["noisy"].get<bool>());
    }
    const auto index = state_.next();
    follower.state = index ? Follower::State::measuring : Follower::State::ended;
    send(link_, rank, index ? Json{{"index", *index}} : Json{{"end", true}});
  }

  // Rows of one campaign are of one device and one software.
  void greet(int rank, Follower& follower, const Json& facts) {
    if (facts == facts_) return send(link_, rank, {{"gpu", campaign_.gpu}, {"stack", campaign_.stack}});
    send(link_, rank, {{"end", true}});
    lose(rank, follower,
         "has another device or software than rank 0: " + facts.dump() + " instead of " + facts_.dump() +
             "; sample there into a store of its own and join them by `data merge`",
         false);
  }

  RankLink& link_;
  Json facts_;
  const CampaignFacts& campaign_;
  CampaignState& state_;
  std::map<int, Follower> followers_;
  std::vector<LostRank> lost_;
  double longest_s_ = 0;
};

Json wait_for_answer(RankLink& link) {
  for (;;) {
    if (const auto message = link.receive()) return Json::parse(message->text);
    std::this_thread::sleep_for(kPause);
  }
}

void measure_for_leader(RankLink& link, Backend& backend, const DrawProblem& draw,
                        const CampaignOptions& options) {
  if (!options.ignore_noise) check_quiet(backend, options.noise);
  send(link, 0, {{"facts", facts_as_json(backend, options)}});
  const Json campaign = wait_for_answer(link);
  if (campaign.contains("end")) return;
  NoiseWatch watch;
  send(link, 0, Json::object());
  for (;;) {
    const Json answer = wait_for_answer(link);
    if (answer.contains("end")) return;
    const auto index = answer["index"].get<std::uint64_t>();
    SampleResult result = measure(backend, draw(index), options.protocol, options.noise);
    result.index = index;
    const SampleRow row = make_row(result, campaign["gpu"], campaign["stack"]);
    send(link, 0, {{"row", to_line(row)}, {"noisy", result.noisy}});
    if (!options.ignore_noise) watch.add(result, options.noise);
  }
}

}  // namespace

std::vector<LostRank> lead_campaign(RankLink& link, Backend& backend, const DrawProblem& draw,
                                    const CampaignOptions& options, const CampaignFacts& facts,
                                    CampaignState& state) {
  Leader leader(link, facts_as_json(backend, options), facts, state);
  // This rank's own device is busy meanwhile; MPI is called by this thread alone.
  std::future<void> own =
      std::async(std::launch::async, [&] { run_campaign(backend, draw, options, facts, state); });
  while (own.wait_for(kPause) != std::future_status::ready) leader.serve();
  std::exception_ptr failure;
  try {
    own.get();
  } catch (...) {
    failure = std::current_exception();
    state.stop();
  }
  while (!leader.is_over()) {
    leader.serve();
    std::this_thread::sleep_for(kPause);
  }
  if (failure) std::rethrow_exception(failure);
  return leader.lost();
}

void follow_campaign(RankLink& link, Backend& backend, const DrawProblem& draw,
                     const CampaignOptions& options) {
  try {
    measure_for_leader(link, backend, draw, options);
  } catch (const std::exception& error) {
    send(link, 0, {{"failed", error.what()}});
  }
}

}  // namespace layersim
