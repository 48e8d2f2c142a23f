#include "gpu/ptx/operation.h"

#include <algorithm>

namespace gpu::ptx {

namespace {

struct RoundingName {
    std::string_view name;
    Rounding rounding;
    bool integral;
};
constexpr RoundingName RoundingNames[]
    = {{"rn", Rounding::Rn, false}, {"rz", Rounding::Rz, false}, {"rm", Rounding::Rm, false},
        {"rp", Rounding::Rp, false}, {"rna", Rounding::Rna, false}, {"rni", Rounding::Rn, true},
        {"rzi", Rounding::Rz, true}, {"rmi", Rounding::Rm, true}, {"rpi", Rounding::Rp, true}};

struct SpaceName {
    std::string_view name;
    Space space;
};
constexpr SpaceName SpaceNames[] = {{"global", Space::Global}, {"shared", Space::Shared},
    {"shared::cta", Space::Shared}, {"local", Space::Local}, {"param", Space::Param},
    {"param::entry", Space::Param}, {"param::func", Space::Param}, {"const", Space::Const}};

void apply(Operation &operation, std::string_view word)
{
    for (const RoundingName &entry : RoundingNames)
        if (entry.name == word) {
            operation.rounding = entry.rounding;
            operation.integralRounding = entry.integral;
            operation.hasRounding = true;
        }
    for (const SpaceName &entry : SpaceNames)
        if (entry.name == word && operation.space == Space::Generic)
            operation.space = entry.space;
    operation.ftz |= word == "ftz";
    operation.sat |= word == "sat";
    if (word == "v2" || word == "v4" || word == "v8")
        operation.vector = unsigned(word[1] - '0');
}

} // namespace

bool Operation::has(std::string_view modifier) const
{
    return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

Operation parseOperation(std::string_view opcode)
{
    Operation operation;
    std::size_t at = opcode.find('.');
    operation.base = std::string(opcode.substr(0, at));
    while (at != std::string_view::npos) {
        const std::size_t next = opcode.find('.', at + 1);
        const std::string_view word
            = opcode.substr(at + 1, next == std::string_view::npos ? next : next - at - 1);
        if (const Type type = syntax::typeFromName(word); type != Type::None) {
            operation.types.push_back(type);
        } else {
            operation.modifiers.emplace_back(word);
            apply(operation, word);
        }
        at = next;
    }
    return operation;
}

} // namespace gpu::ptx
