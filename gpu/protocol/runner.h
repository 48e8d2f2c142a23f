#pragma once

#include "gpu/device/device.h"

#include <functional>
#include <memory>

namespace gpu {

/// The runner child: holds the device and evaluates what the worker sends, one at a time. Lines on
/// two descriptors, this protocol is between the worker and its own child only:
///
///     out  {"event":"hello","device":{…}}                        or {"event":"error","message":…}
///     and the end in
///     {"op":"probe","key":…,"problem":{…},"sizes":[…],"codes":{size:{"oracle":{…},"seed":{…}}}}
///     out  {"event":"probed"}  or {"event":"error","blame":…,"message":…}
///     in   {"op":"evaluate",…as above…,"candidate":{"source":…,"tunables":{…}},"time":true}, each
///          of "codes" with "candidate"
///     out  {"event":"stage","stage":…,"done":…,"total":…}      "time" waits for {"op":"go"}
///     out  {"event":"result","evaluation":{…},"resident_bytes":…}
///     in   {"op":"compare",…as above with one size…,"a":{"source":…},"b":{…}}, "codes" likewise
///     out  {"event":"stage","stage":"time",…}, then
///     out  {"event":"compared","answer":{…},"resident_bytes":…}
///
/// References (oracle and seed, loaded in a device of their own) are kept between requests, by
/// problem key and size.
///
/// Blocks until the end of input; returns the exit code. `makeDevice` is called twice.
int runRunner(
    int inputFd, int outputFd, const std::function<Result<std::unique_ptr<Device>>()> &makeDevice);

} // namespace gpu
