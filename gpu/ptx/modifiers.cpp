#include "gpu/ptx/modifiers.h"

#include <algorithm>
#include <iterator>

namespace gpu::ptx {

namespace {

/// A base opcode with the modifiers it may have, types left out. "*": its handler checks them.
struct Known {
    std::string_view base, modifiers;
};

#define ROUNDINGS "rn rz rm rp "
#define COMPARISONS "eq ne lt le gt ge equ neu ltu leu gtu geu num nan lo ls hi hs and or xor ftz "
#define SPACES "global shared shared::cta local param param::entry param::func const "
#define SCOPES "cta cluster gpu sys "
#define ACCESSES                                                                                   \
    SPACES SCOPES "weak relaxed acquire release volatile mmio v2 v4 v8 ca cg cs lu cv nc wb wt "   \
                  "unified "

constexpr Known Table[] = {{"abs", "ftz"}, {"activemask", ""}, {"add", ROUNDINGS "ftz sat cc"},
    {"addc", "cc"}, {"and", ""}, {"applypriority", "*"},
    {"atom",
        SPACES SCOPES "relaxed acquire release acq_rel noftz add min max inc dec and or xor "
                      "exch cas L2::cache_hint"},
    {"bar", "sync arrive red popc and or aligned warp cta"},
    {"barrier", "sync arrive red popc and or aligned cta"}, {"bfe", ""}, {"bfi", ""},
    {"bfind", "shiftamt"}, {"bmsk", "wrap clamp"}, {"bra", "uni"}, {"brev", ""}, {"brkpt", ""},
    {"brx", "idx uni"}, {"call", "uni"}, {"clz", ""}, {"cnot", ""}, {"copysign", ""},
    {"cos", "approx ftz"}, {"cp", "*"}, {"createpolicy", "*"},
    {"cvt", ROUNDINGS "rna rni rzi rmi rpi ftz sat relu satfinite"}, {"cvta", "to " SPACES},
    {"discard", "*"}, {"div", ROUNDINGS "approx full ftz"}, {"dp2a", "lo hi"}, {"dp4a", ""},
    {"elect", "sync"}, {"ex2", "approx ftz"}, {"exit", ""}, {"fence", "*"},
    {"fma", ROUNDINGS "ftz sat relu"}, {"fns", ""}, {"griddepcontrol", "*"}, {"isspacep", SPACES},
    {"ld", ACCESSES}, {"ldmatrix", "*"}, {"ldu", "global v2 v4"}, {"lg2", "approx ftz"},
    {"lop3", ""}, {"mad", ROUNDINGS "lo hi wide ftz sat cc"}, {"mad24", "lo hi sat"},
    {"madc", "lo hi cc"}, {"match", "sync any all"}, {"max", "ftz NaN xorsign abs relu"},
    {"mbarrier", "*"}, {"membar", "*"}, {"min", "ftz NaN xorsign abs relu"}, {"mma", "*"},
    {"mov", ""}, {"movmatrix", "*"}, {"mul", ROUNDINGS "lo hi wide ftz sat"}, {"mul24", "lo hi"},
    {"nanosleep", ""}, {"neg", "ftz"}, {"not", ""}, {"or", ""}, {"pmevent", "*"}, {"popc", ""},
    {"prefetch", "*"}, {"prefetchu", "*"}, {"prmt", "f4e b4e rc8 ecl ecr rc16"},
    {"rcp", ROUNDINGS "approx ftz"},
    {"red", SPACES SCOPES "relaxed release noftz add min max inc dec and or xor L2::cache_hint"},
    {"redux", "sync add min max and or xor"}, {"rem", ""}, {"ret", "uni"}, {"rsqrt", "approx ftz"},
    {"sad", ""}, {"selp", ""}, {"set", COMPARISONS}, {"setmaxnreg", "*"}, {"setp", COMPARISONS},
    {"shf", "l r wrap clamp"}, {"shfl", "sync up down bfly idx"}, {"shl", ""}, {"shr", ""},
    {"sin", "approx ftz"}, {"slct", "ftz"}, {"sqrt", ROUNDINGS "approx ftz"}, {"st", ACCESSES},
    {"stmatrix", "*"}, {"sub", ROUNDINGS "ftz sat cc"}, {"subc", "cc"}, {"szext", "wrap clamp"},
    {"tanh", "approx ftz"}, {"testp", "finite infinite number notanumber normal subnormal"},
    {"trap", ""}, {"vote", "sync all any uni ballot"}, {"wmma", "*"}, {"xor", ""}};

#undef ROUNDINGS
#undef COMPARISONS
#undef SPACES
#undef SCOPES
#undef ACCESSES

/// Hints that change no result: evict and prefetch policies.
bool isCacheHint(std::string_view modifier)
{
    return modifier.starts_with("L1::") || modifier.starts_with("L2::");
}

bool isListed(std::string_view words, std::string_view word)
{
    for (std::size_t at = words.find(word); at != std::string_view::npos;
         at = words.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' '))
            return true;
    }
    return false;
}

} // namespace

bool modifiersAreKnown(const Operation &operation)
{
    const auto known = std::find_if(std::begin(Table), std::end(Table),
        [&](const Known &entry) { return entry.base == operation.base; });
    if (known == std::end(Table))
        return false;
    const bool isMemory = operation.base == "ld" || operation.base == "st";
    return known->modifiers == "*"
        || std::all_of(operation.modifiers.begin(), operation.modifiers.end(),
            [&](const std::string &modifier) {
                return !modifier.empty()
                    && (isListed(known->modifiers, modifier)
                        || (isMemory && isCacheHint(modifier)));
            });
}

} // namespace gpu::ptx
