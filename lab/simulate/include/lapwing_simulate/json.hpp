#pragma once
// Structs that list their settings, enums with names, and boxes and grids, from and to JSON.

#include <nlohmann/json.hpp>
#include <string>

#include "lapwing/base/error.hpp"
#include "lapwing/base/settings.hpp"
#include "lapwing/grid/grid.hpp"
#include "lapwing/partition/partition.hpp"

namespace nlohmann {

// A setting that is left out keeps its default; an unknown name is a UserError.
template <lapwing::HasSettings Struct>
struct adl_serializer<Struct, void> {
    static void from_json(const json& from, Struct& settings) {
        for (const auto& [key, value] : from.items()) {
            bool known = false;
            lapwing::for_each_setting<Struct>([&](const auto& setting) {
                if (key != setting.name) return;
                value.get_to(settings.*setting.member);
                known = true;
            });
            if (!known)
                lapwing::user_error("request of the simulation", key, "names that are known",
                                    "let `lapwing simulate` write it");
        }
    }
    static void to_json(json& to, const Struct& settings) {
        lapwing::for_each_setting<Struct>([&](const auto& setting) { to[setting.name] = settings.*setting.member; });
    }
};

template <lapwing::HasNames Enum>
struct adl_serializer<Enum, void> {
    static void from_json(const json& from, Enum& value) {
        const auto name = from.get<std::string>();
        value = lapwing::value_of<Enum>("request of the simulation", name);
    }
    static void to_json(json& to, Enum value) { to = std::string(lapwing::name_of(value)); }
};

template <>
struct adl_serializer<lapwing::Box> {
    static void from_json(const json& from, lapwing::Box& box) {
        from.at("lo").get_to(box.lo);
        from.at("hi").get_to(box.hi);
    }
};

template <>
struct adl_serializer<lapwing::Subdomain> {
    static void from_json(const json& from, lapwing::Subdomain& subdomain) {
        from.at("rank").get_to(subdomain.rank);
        from.at("box").get_to(subdomain.box);
    }
};

template <>
struct adl_serializer<lapwing::Grid> {
    static void from_json(const json& from, lapwing::Grid& grid) {
        from.at("size").get_to(grid.size);
        from.at("periodic").get_to(grid.periodic);
    }
};

}  // namespace nlohmann
