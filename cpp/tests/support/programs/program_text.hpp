#pragma once
// A random program as the declarations that a user would write.

#include <string>

#include "lapwing/base/concat.hpp"
#include "random_program.hpp"

namespace lapwing::testing {

inline std::string words_of(const Extent& extent) {
    if (extent.empty()) return "";
    std::string words;
    int count = 0;
    const auto word = [&](const char* name, char axis, int cells) {
        if (cells == 0) return;
        words += concat(count++ > 0 ? ", " : "", name, "(", axis, ", ", cells, ")");
    };
    for (std::size_t a = 0; a < 3; ++a) {
        word("behind", "xyz"[a], extent.lo[a]);
        word("ahead", "xyz"[a], extent.hi[a]);
    }
    return count > 1 && !extent.corners ? "cross(" + words + ")" : words;
}

inline std::string text_of(const ProgramRead& read) {
    std::string text = concat(", reads(f", read.field, read.extent.empty() ? "" : ", ", words_of(read.extent), ")");
    if (read.demand >= 0) text += concat(".as_wide_as(number", read.demand, ", {", listed(read.widths), "})");
    return text;
}

inline std::string text_of(const ProgramStage& stage) {
    constexpr const char* roles[] = {"hash", "colour", "scatter", "rounds", "ends", "ask"};
    std::string text = concat("stage(\"", stage.name, "\", ", roles[static_cast<int>(stage.role)]);
    for (int field : stage.writes) {
        const bool scatters = stage.role == Role::scatter;
        text += concat(", ", scatters ? "scatters" : stage.updates ? "updates" : "writes", "(f", field, ")");
    }
    for (const ProgramRead& read : stage.reads) text += text_of(read);
    if (stage.number >= 0)
        text += concat(", reduces(number", stage.number, stage.least ? ": minimum" : ": maximum", ")");
    text += ")";
    if (stage.role == Role::colour) text += concat(".in_any_order() /* parity ", stage.parity, " */");
    if (stage.region) text += concat(".on(", *stage.region, ")");
    if (!stage.rim.empty()) text += concat(".rim(", words_of(stage.rim), ")");
    if (stage.repeats > 0) text += concat(".repeats(", stage.repeats, ", ", stage.above, ")");
    if (stage.iteration >= 0) text += concat(".in_iteration(", stage.iteration, ")");
    if (stage.together) text += ".then(add the sum over all ranks)";
    if (stage.uses >= 0) text += concat(" /* uses number", stage.uses, " */");
    if (stage.sent) text += concat(" /* listed: sends f", stage.writes[0], " */");
    return text;
}

inline std::string text_of(const Action& action) {
    switch (action.kind) {
        case Action::Kind::run:
            return concat("step.run(", action.number, ")");
        case Action::Kind::run_each:
            return concat(action.number, " times step.run()");
        case Action::Kind::modify:
            return concat("all ranks write f", action.number);
        case Action::Kind::modify_on_one:
            return concat("rank 0 alone writes f", action.number);
        case Action::Kind::restart:
            return concat("step.restart_at(", action.number, ")");
    }
    return "";
}

inline std::string text_of(const ProgramField& field, int number) {
    std::string text = concat("Field<", field.narrow ? "float" : "double", "> f", number);
    if (field.levels > 0) text += concat(", ", field.levels, " levels");
    if (field.components > 1) text += concat(", ", field.components, " components");
    if (field.constant) text += ", constant on land";
    for (const Extent& extent : field.component_extents) text += concat(", one to {", words_of(extent), "}");
    return text + "\n";
}

inline std::string text_of(const Program& program) {
    std::string text =
        concat("seed ", program.seed, ", grid ", to_string(program.grid), ", ", program.ranks, " ranks\n");
    for (Index j = program.grid.size[1]; j-- > 0 && !program.wet.empty(); text += "\n")
        for (Index i = 0; i < program.grid.size[0]; ++i) text += program.is_wet(i, j) ? '.' : '#';
    for (const Subdomain& part : program.parts) text += concat("rank ", part.rank, " owns ", part.box, "\n");
    for (std::size_t f = 0; f < program.fields.size(); ++f) text += text_of(program.fields[f], static_cast<int>(f));
    for (const auto& stages : program.cycle) {
        text += "{\n";
        for (const ProgramStage& stage : stages) text += "  " + text_of(stage) + ",\n";
        text += "}\n";
    }
    for (const Action& action : program.actions) text += text_of(action) + "; ";
    return text + "\n";
}

}  // namespace lapwing::testing
