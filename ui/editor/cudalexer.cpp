#include "ui/editor/cudalexer.h"

#include <QFontDatabase>

namespace ui {

namespace {

constexpr const char *Keywords
    = "alignas alignof asm auto bool break case catch char class const const_cast consteval "
      "constexpr continue decltype default delete do double dynamic_cast else enum explicit extern "
      "false float for friend goto if inline int long mutable namespace new noexcept nullptr "
      "operator private protected public register reinterpret_cast requires return short signed "
      "sizeof static static_assert static_cast struct switch template this throw true try typedef "
      "typename union unsigned using virtual void volatile while "
      "__global__ __device__ __host__ __shared__ __constant__ __managed__ __restrict__ "
      "__forceinline__ __noinline__ __launch_bounds__ __cluster_dims__ __grid_constant__";

constexpr const char *Types
    = "char1 char2 char3 char4 uchar1 uchar2 uchar3 uchar4 short1 short2 short3 short4 ushort1 "
      "ushort2 ushort3 ushort4 int1 int2 int3 int4 uint1 uint2 uint3 uint4 long1 long2 long3 "
      "long4 ulong1 ulong2 ulong3 ulong4 longlong1 longlong2 ulonglong1 ulonglong2 float1 float2 "
      "float3 float4 double1 double2 double3 double4 dim3 half half2 __half __half2 __nv_bfloat16 "
      "__nv_bfloat162 __nv_fp8_e4m3 __nv_fp8_e5m2 size_t int8_t int16_t int32_t int64_t uint8_t "
      "uint16_t uint32_t uint64_t uintptr_t fragment thread_block thread_block_tile grid_group "
      "coalesced_group CUtensorMap";

constexpr const char *Builtins
    = "threadIdx blockIdx blockDim gridDim warpSize dim tune __syncthreads __syncthreads_count "
      "__syncthreads_and __syncthreads_or __syncwarp __threadfence __threadfence_block "
      "__threadfence_system __shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync "
      "__ballot_sync __any_sync __all_sync __activemask __match_any_sync __match_all_sync "
      "__reduce_add_sync __reduce_min_sync __reduce_max_sync __ldg __ldcg __ldcs __ldca __stcg "
      "__stcs __stwt atomicAdd atomicSub atomicExch atomicMin atomicMax atomicInc atomicDec "
      "atomicCAS atomicAnd atomicOr atomicXor __expf __logf __log2f __exp10f __powf __sinf __cosf "
      "__tanf __fdividef __frcp_rn __frsqrt_rn __fmaf_rn __fmul_rn __fadd_rn __saturatef exp2f "
      "expf logf log2f sqrtf rsqrtf fmaf fmaxf fminf fabsf tanhf erff powf floorf ceilf rintf "
      "__clz __popc __brev __ffs __byte_perm __funnelshift_l __funnelshift_r __dp4a __dp2a_lo "
      "__float2half __half2float __float22half2_rn __half22float2 __hadd __hmul __hfma __hadd2 "
      "__hmul2 __hfma2 __float2bfloat16 __bfloat162float make_float2 make_float4 make_int2 "
      "make_int4 make_uint4 load_matrix_sync store_matrix_sync mma_sync fill_fragment "
      "memcpy_async cp_async __pipeline_memcpy_async __pipeline_commit __pipeline_wait_prior "
      "__trap __assertfail printf assert clock clock64 __nanosleep";

} // namespace

CudaLexer::CudaLexer(QObject *parent)
    : QsciLexerCPP(parent)
{
    setFoldComments(true);
    setFoldPreprocessor(false);
    setStylePreprocessor(true);
}

const char *CudaLexer::keywords(int set) const
{
    switch (set) {
    case 1:
        return Keywords;
    case 2:
        return Types;
    case 4:
        return Builtins;
    default:
        return nullptr;
    }
}

void CudaLexer::applyTheme(const Theme &theme)
{
    const QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    setDefaultFont(font);
    setFont(font, -1);
    setDefaultPaper(theme.color(Role::Surface));
    setPaper(theme.color(Role::Surface), -1);
    setDefaultColor(theme.color(Role::Text));
    setColor(theme.color(Role::Text), -1);
    const auto paint = [&](Role role, std::initializer_list<int> styles) {
        for (int style : styles)
            setColor(theme.color(role), style);
    };
    paint(Role::SyntaxComment,
        {Comment, CommentLine, CommentDoc, CommentLineDoc, PreProcessorComment,
            PreProcessorCommentLineDoc, InactiveComment});
    paint(Role::SyntaxKeyword, {Keyword});
    paint(Role::SyntaxType, {KeywordSet2});
    paint(Role::SyntaxBuiltin, {GlobalClass});
    paint(Role::SyntaxNumber, {Number, UserLiteral});
    paint(Role::SyntaxString,
        {SingleQuotedString, DoubleQuotedString, RawString, VerbatimString, UnclosedString});
    paint(Role::SyntaxPreprocessor, {PreProcessor});
    QFont bold = font;
    bold.setBold(true);
    setFont(bold, Keyword);
}

} // namespace ui
