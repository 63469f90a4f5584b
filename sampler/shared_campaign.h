#pragma once
// One campaign on many devices, each with a process of its own (a rank). Rank 0 hands out the problems, keeps
// the store, and measures as well; the others ask it for a problem, measure it and send the row. A rank that
// dies takes with it the problem that it was measuring, which stays undone in the store: the next run of the
// same command measures it.

#include "sampler/campaign.h"
#include "sampler/rank_link.h"

namespace layersim {

// A rank whose part ended before the campaign did.
struct LostRank {
  int rank = 0;
  std::string reason;
  bool silent = false;  // nothing was heard of it: it is gone, and nobody can leave MPI in good order
};

// Rank 0. Returns when the others have ended or been silent for too long. Throws what goes wrong in measuring
// here, once the others have ended.
[[nodiscard]] std::vector<LostRank> lead_campaign(RankLink& link, Backend& backend, const DrawProblem& draw,
                                                  const CampaignOptions& options, const CampaignFacts& facts,
                                                  CampaignState& state);

// Any other rank: measures what rank 0 gives. What goes wrong here is told to rank 0, and ends this rank's
// part alone.
void follow_campaign(RankLink& link, Backend& backend, const DrawProblem& draw,
                     const CampaignOptions& options);

}  // namespace layersim
