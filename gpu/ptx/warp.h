#pragma once

#include "gpu/ptx/program.h"

#include <memory>

/// The state of a running warp. One host thread runs a block; nothing here is shared.
namespace gpu::ptx {

class Block;

/// A function activation, shared by the lanes that entered it together.
struct Frame {
    const Function *function = nullptr;
    std::uint32_t functionIndex = 0;
    std::byte *registers = nullptr;
    std::size_t capacity = 0;
    Frame *parent = nullptr;
    const Instruction *returnTo = nullptr;
    const Call *call = nullptr; ///< the caller's record
    std::uint32_t localBase = 0;
    std::uint32_t references = 0; ///< fragments and child frames
};

/// Lanes that were split by a branch and meet again at `at` of `frame`.
struct Meeting {
    const Instruction *at = nullptr;
    Frame *frame = nullptr;
    std::uint32_t expected = 0, arrived = 0;
    std::int32_t parent = -1;
    bool used = false;
};

enum class FragmentState : std::uint8_t {
    Runnable,
    AtMeeting, ///< waits for the others of its meeting
    AtSync, ///< waits in a .sync instruction for the lanes of `awaited`
    AtBarrier, ///< waits at block barrier `barrier`
    Done
};

/// Lanes of a warp with one program counter: the unit of scheduling inside a warp.
struct Fragment {
    std::uint32_t mask = 0;
    FragmentState state = FragmentState::Done;
    const Instruction *pc = nullptr;
    Frame *frame = nullptr;
    std::int32_t meeting = -1;
    std::uint32_t awaited = 0;
    std::uint32_t barrier = 0;
    std::uint64_t since = 0; ///< the warp's instruction count when it began to wait
};

/// Contiguous memory that an address lies in.
struct Range {
    std::uint64_t begin = 0; ///< device address of host[0]
    std::uint64_t size = 0; ///< 0: none
    std::byte *host = nullptr;
    std::uint64_t laneStride = 0; ///< bytes between the lanes' copies in local space
    Space space = Space::Global; ///< of an address that was generic, too
};

enum class Access : std::uint8_t { Read, Write, Atomic };

struct Warp {
    // The running fragment.
    const Instruction *pc = nullptr;
    std::uint32_t mask = 0;
    bool stop = false; ///< leave the run loop
    bool checked = false;
    std::byte *base[2] = {nullptr, nullptr}; ///< registers, constants
    Frame *frame = nullptr;
    std::int32_t current = -1;

    Block *block = nullptr;
    std::uint32_t index = 0; ///< %warpid
    std::uint32_t live = 0; ///< lanes that have not exited
    std::uint32_t started = 0; ///< lanes that exist
    std::byte *local = nullptr; ///< stackBytes a lane
    std::byte *localWritten = nullptr; ///< in checked mode: not 0 for each byte ever written
    std::uint32_t stackBytes = 0;
    std::uint64_t instructions = 0, threadInstructions = 0;
    std::vector<Fragment> fragments;
    std::vector<Meeting> meetings;
    std::vector<Frame *> freeFrames;
    std::vector<std::unique_ptr<Frame>> frames;
    Range cache[16];

    ~Warp();

    /// Begins at `function`'s first instruction with these lanes.
    void start(const Function &function, std::uint32_t functionIndex, std::uint32_t lanes);
    /// Runs at most about `quantum` warp instructions; false if no fragment can run.
    bool run(std::uint64_t quantum);
    bool finished() const { return live == 0; }

    /// The lanes of `lanes` continue at `at`, the rest of the running fragment where it is.
    void split(std::uint32_t lanes, const Instruction *at);
    /// Splits for a branch whose paths meet at `reconverge` (or nowhere).
    void diverge(std::uint32_t taken, const Instruction *target, const Instruction *reconverge);
    /// At a place where paths may meet: waits there if others are still to come.
    void meet(const Instruction &instruction);
    void exitLanes(std::uint32_t lanes);
    void enter(const Function &function, std::uint32_t functionIndex, const Call *call);
    void leave(); ///< return of all active lanes
    /// For .sync instructions: true if all of `members` that live are here, merged into the running
    /// fragment; else the fragment waits and the instruction runs again later.
    bool rendezvous(const Instruction &instruction, std::uint32_t members);
    void block_(FragmentState state, const Instruction *resumeAt);
    void wake(Fragment &fragment) { fragment.state = FragmentState::Runnable; }

    /// Where `address` of the instruction's space lies; an empty range if nowhere. Reads and writes
    /// of the returned range need no check but bounds and alignment and, in checked mode, those of
    /// shared and local memory.
    Range range(const Instruction &instruction, std::uint64_t address, Access access);
    /// Host memory of one lane's access, all checks done; nullptr after a fault.
    std::byte *resolve(const Instruction &instruction, unsigned lane, std::uint64_t address,
        std::uint32_t bytes, Access access);
    /// As resolve, for a space other than the instruction's.
    std::byte *resolveIn(Space space, const Instruction &instruction, unsigned lane,
        std::uint64_t address, std::uint32_t bytes, Access access);
    /// As resolveIn, but the access is not made yet: `record` says that it is. For lanes whose
    /// accesses are simultaneous, and so do not race.
    std::byte *checkIn(Space space, const Instruction &instruction, unsigned lane,
        std::uint64_t address, std::uint32_t bytes, Access access);
    void record(
        Space space, unsigned lane, std::uint64_t address, std::uint32_t bytes, Access access);
    /// Says in checked mode that bytes of a lane's local memory have a value.
    void markLocal(unsigned lane, std::uint64_t offset, std::size_t bytes);
    void fault(const Instruction &instruction, unsigned lane, FaultKind kind,
        const std::string &what, std::uint64_t address = 0);

    Frame *newFrame(const Function &function, std::uint32_t functionIndex);
    void release(Frame *frame);
    void load(std::int32_t fragment);
    void save();
    void dropLanes(std::uint32_t lanes, std::int32_t meeting);
    void completeMeetings();
    bool chooseFragment();
    bool releaseWaiting(std::uint64_t minimumWait);
};

/// The part of the interpreter that is compiled once for each instruction set.
struct Selection {
    Handler handler = nullptr;
    ScalarFunction scalar = nullptr;
    std::uint8_t dst = SizeNone, dst2 = SizeNone; ///< size codes, also of decode.h
    std::uint8_t source[4] = {};
    std::uint8_t dstCount = 0, sourceCount[4] = {}; ///< elements of vectors; 0: any
    std::uint8_t required = 4; ///< sources that must be given
    std::uint8_t accessBytes = 0;
    bool ignoresRest = false; ///< further operands (cache policies) have no effect
    std::uint32_t mode = 0;
};

struct Executor {
    /// The handler of an operation; an empty one if it is not implemented. `operandSizes` are the
    /// sizes of the registers written, for ld, st and cvt, whose registers may be wider.
    Selection (*select)(
        const Operation &operation, const std::uint8_t *operandSizes, std::size_t operandCount);
    Handler guarded = nullptr;
    /// Runs the warp's loaded fragment until it stops or `limit` instructions are done.
    std::uint64_t (*runFragment)(Warp &warp, std::uint64_t limit) = nullptr;
};

/// The fastest one that this CPU runs; with ESPALIER_EXECUTOR=baseline the one for any CPU.
const Executor &executor();

/// Control instructions need no vector form: branches, calls, barriers and the like.
Selection selectControl(
    const Operation &operation, const std::uint8_t *operandSizes, std::size_t operandCount);
/// Per-lane definitions of everything else.
ScalarFunction selectScalar(const Operation &operation, const std::uint8_t *operandSizes,
    std::size_t operandCount, Selection &shape);

} // namespace gpu::ptx
