// JSON of a declared struct, and back.
#pragma once

#include <nlohmann/json.hpp>

#include "groma/schema/member.hpp"

namespace groma::schema {

using Json = nlohmann::ordered_json;

template <class T>
Json json_of(const T& value) {
  if constexpr (Kind<T>) {
    Json out = Json::object();
    each_member<T>([&](const auto& one) {
      Json held = json_of(value.*one.at);
      if (!one.left_out || !held.is_null()) out[std::string(one.name)] = std::move(held);
    });
    return out;
  } else if constexpr (is_optional<T>) {
    return value ? json_of(*value) : Json(nullptr);
  } else if constexpr (is_named<T>) {
    Json out = Json::object();
    for (const auto& [name, held] : value) out[name] = json_of(held);
    return out;
  } else if constexpr (is_list<T>) {
    Json out = Json::array();
    for (const auto& held : value) out.push_back(json_of(held));
    return out;
  } else {
    return Json(value);
  }
}

/// What one rank wrote with `json_of(...).dump()`, on another rank.
template <class T>
void read(const Json& json, T& value) {
  if constexpr (Kind<T>) {
    each_member<T>([&](const auto& one) {
      const auto found = json.find(std::string(one.name));
      if (found != json.end()) read(*found, value.*one.at);
    });
  } else if constexpr (is_optional<T>) {
    if (json.is_null()) return;
    read(json, value.emplace());
  } else if constexpr (is_list<T> && !is_named<T>) {
    if constexpr (requires { value.resize(json.size()); }) value.resize(json.size());
    for (std::size_t i = 0; i < value.size() && i < json.size(); ++i) read(json[i], value[i]);
  } else {
    json.get_to(value);
  }
}

template <class T>
T read_text(const std::string& text) {
  T value{};
  read(Json::parse(text), value);
  return value;
}

/// Sets a member of a struct's JSON.
template <auto At, class T>
void set(Json& json, const T& value) {
  using Held = std::remove_cvref_t<decltype(std::declval<decltype(owner_of(At))>().*At)>;
  json[std::string(name_of<At>())] = json_of(Held(value));
}

}  // namespace groma::schema
