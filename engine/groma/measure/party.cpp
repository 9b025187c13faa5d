#include "groma/measure/party.hpp"

#include <algorithm>

namespace groma {

Party form_party(const Comm& world, std::span<const int> node_of_rank, const std::vector<Group>& groups,
                 bool world_itself) {
  Party party;
  party.groups = static_cast<int>(groups.size());
  for (const Group& group : groups) party.members.insert(party.members.end(), group.begin(), group.end());
  Comm all = world.only(party.members);
  if (!all.null()) {
    if (world_itself) {
      party.work = Comm(MPI_COMM_WORLD);
    } else if (groups.size() == 1) {
      party.work = all.copy();
    } else {
      const auto mine = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
        return std::find(group.begin(), group.end(), world.rank()) != group.end();
      });
      party.work = all.part(static_cast<int>(mine - groups.begin()));
    }
  }
  party.control = std::move(all);
  std::vector<int> hosts;
  for (const int member : party.members) hosts.push_back(node_of_rank[static_cast<std::size_t>(member)]);
  std::sort(hosts.begin(), hosts.end());
  party.hosts = static_cast<int>(std::unique(hosts.begin(), hosts.end()) - hosts.begin());
  return party;
}

}  // namespace groma
