#include "groma/schema/describe.hpp"

#include <set>

#include "groma/schema/json.hpp"
#include "groma/schema/point.hpp"
#include "groma/schema/records.hpp"

namespace groma::schema {
namespace {

template <class T>
std::string type_of() {
  if constexpr (is_optional<T>) {
    return type_of<typename T::value_type>();
  } else if constexpr (is_named<T>) {
    return "map of " + type_of<typename T::value_type::second_type>();
  } else if constexpr (is_list<T>) {
    return "list of " + type_of<typename T::value_type>();
  } else if constexpr (Kind<T>) {
    return std::string(T::kind);
  } else if constexpr (std::is_same_v<T, Fields>) {
    return "fields";
  } else if constexpr (std::is_same_v<T, bool>) {
    return "boolean";
  } else if constexpr (std::is_same_v<T, std::string>) {
    return "text";
  } else {
    return std::is_integral_v<T> ? "integer" : "number";
  }
}

/// The unit is the last word of a name that is one, such as `samples_ns` and `bytes_moved`.
template <class T>
std::string_view unit_of(std::string_view name) {
  if (type_of<T>().find("number") == std::string::npos && type_of<T>().find("integer") == std::string::npos) return "";
  std::string_view unit;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find('_'), name.size());
    const std::string_view word = name.substr(0, end);
    for (const std::string_view known : {"ns", "s", "bytes", "ppm", "cores"}) {
      if (word == known) unit = known;
    }
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return unit;
}

/// The struct that a member holds, or holds lists or maps of; void if it holds none.
template <class T>
struct Part {
  using Type = void;
};
template <Kind T>
struct Part<T> {
  using Type = T;
};
template <class T>
struct Part<std::optional<T>> : Part<T> {};
template <class T>
struct Part<std::vector<T>> : Part<T> {};
template <class T>
struct Part<std::pair<std::string, T>> : Part<T> {};

/// What is said of one member. Compiled once: making JSON in the place of each of all members took 12 s.
struct Described {
  std::string_view name;
  std::string type;
  std::string_view unit;
  std::string_view help;
  bool nullable = false;
  bool left_out = false;
};

Json json_of(const Described& member) {
  return {{"name", member.name},         {"type", member.type},         {"unit", member.unit},
          {"nullable", member.nullable}, {"left_out", member.left_out}, {"help", member.help}};
}

constexpr std::string_view records = "points.jsonl";
const Described checksum{.name = "crc32",
                         .type = "text",
                         .unit = "",
                         .help = "the checksum of the line: the last member; older engines wrote none",
                         .left_out = true};

class Description {
 public:
  template <Kind T>
  void add(std::string_view document) {
    if (!seen_.insert(T::kind).second) return;
    Json members = Json::array();
    each_member<T>([&](const auto& one) {
      using Held = typename std::remove_cvref_t<decltype(one)>::Type;
      members.push_back(json_of({.name = one.name,
                                 .type = type_of<Held>(),
                                 .unit = unit_of<Held>(one.name),
                                 .help = one.help,
                                 .nullable = is_optional<Held> && !one.left_out,
                                 .left_out = one.left_out}));
    });
    if (document == records) members.push_back(json_of(checksum));
    add_kind(T::kind, document, T::help, members);
  }

  /// The parts of a kind, each where it is first named.
  template <Kind T>
  void add_parts() {
    each_member<T>([&](const auto& one) {
      using Own = typename Part<typename std::remove_cvref_t<decltype(one)>::Type>::Type;
      if constexpr (!std::is_void_v<Own>) {
        add<Own>("");
        add_parts<Own>();
      }
    });
  }

  [[nodiscard]] const Json& kinds() const { return kinds_; }

 private:
  void add_kind(std::string_view name, std::string_view document, std::string_view help, const Json& members) {
    kinds_.push_back({{"name", name}, {"document", document}, {"help", help}, {"members", members}});
  }

  std::set<std::string_view> seen_;
  Json kinds_ = Json::array();
};

template <Kind... Record>
void add_all(Description& to, std::string_view document) {
  (to.add<Record>(document), ...);
  (to.add_parts<Record>(), ...);
}

}  // namespace

Json describe_kinds() {
  Description all;
  add_all<Start, Point, Revisit, Failure, LeftOut, End>(all, records);
  add_all<Nodes>(all, "nodes.json");
  return all.kinds();
}

}  // namespace groma::schema
