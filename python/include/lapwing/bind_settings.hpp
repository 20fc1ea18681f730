#pragma once
// Structs that list their settings as classes of Python: a constructor by keywords, an attribute per setting, and
// the names of all by `declared()`. An enum is text there, the name of its value.

#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "lapwing/base/settings.hpp"

namespace lapwing {

// Sets one setting; TypeError, naming it, for a value of another type.
template <class Struct, class Owner, class Value>
void set_setting(Struct& settings, const Setting<Owner, Value>& setting, nanobind::handle value) {
    if constexpr (HasNames<Value>) {
        std::string name;
        if (nanobind::try_cast(value, name)) {
            settings.*setting.member = value_of<Value>(setting.name, name);
            return;
        }
    } else {
        if (nanobind::try_cast(value, settings.*setting.member)) return;
    }
    throw nanobind::type_error((std::string("wrong type of ") + setting.name).c_str());
}

// The settings with the values of `values`; TypeError for an unknown name.
template <HasSettings Struct>
Struct from_keywords(const nanobind::kwargs& values) {
    Struct settings;
    for (const auto& [key, value] : values) {
        const auto name = nanobind::cast<std::string>(key);
        bool known = false;
        for_each_setting<Struct>([&](const auto& setting) {
            if (name != setting.name) return;
            set_setting(settings, setting, value);
            known = true;
        });
        if (!known) throw nanobind::type_error(("no setting " + name).c_str());
    }
    return settings;
}

template <HasSettings Struct>
nanobind::class_<Struct> bind_settings(nanobind::module_& m, const char* name, const char* about) {
    nanobind::class_<Struct> bound(m, name, about);
    bound.def(
        "__init__",
        [](Struct* self, const nanobind::kwargs& settings) { new (self) Struct(from_keywords<Struct>(settings)); },
        nanobind::sig("def __init__(self, **settings: object) -> None"));
    bound.def_static(
        "declared",
        [] {
            std::vector<std::string> names;
            for_each_setting<Struct>([&](const auto& setting) { names.emplace_back(setting.name); });
            return names;
        },
        "Names of the settings. Local.");
    for_each_setting<Struct>([&]<class Owner, class Value>(const Setting<Owner, Value>& setting) {
        if constexpr (HasNames<Value>) {
            bound.def_prop_rw(
                setting.name, [member = setting.member](const Struct& s) { return std::string(name_of(s.*member)); },
                [setting](Struct& s, const std::string& text) {
                    s.*setting.member = value_of<Value>(setting.name, text);
                },
                setting.about);
        } else {
            bound.def_rw(setting.name, setting.member, setting.about);
        }
    });
    return bound;
}

}  // namespace lapwing
