#pragma once

#include <string>
#include <utility>
#include <variant>

namespace gpu {

/// Who must act on an error. Decides the exit code of the command line and whether a candidate is
/// blamed: only `Candidate` ever becomes a candidate's verdict.
enum class Blame { Caller, Candidate, Environment };

/// What went wrong, in words for the user: what, where, and what to do.
struct Error {
    Blame blame = Blame::Environment;
    std::string message;
};

/// A value or an `Error`. Used instead of exceptions across module boundaries.
template <class T> class [[nodiscard]] Result {
public:
    Result(T value)
        : m_state(std::in_place_index<0>, std::move(value))
    {
    }
    Result(Error error)
        : m_state(std::in_place_index<1>, std::move(error))
    {
    }

    bool ok() const { return m_state.index() == 0; }
    explicit operator bool() const { return ok(); }
    T &value() { return std::get<0>(m_state); }
    const T &value() const { return std::get<0>(m_state); }
    T &operator*() { return value(); }
    const T &operator*() const { return value(); }
    T *operator->() { return &value(); }
    const T *operator->() const { return &value(); }
    const Error &error() const { return std::get<1>(m_state); }

private:
    std::variant<T, Error> m_state;
};

/// Success without a value.
struct Unit { };
using Status = Result<Unit>;

inline Error callerError(std::string message)
{
    return {Blame::Caller, std::move(message)};
}
inline Error candidateError(std::string message)
{
    return {Blame::Candidate, std::move(message)};
}
inline Error environmentError(std::string message)
{
    return {Blame::Environment, std::move(message)};
}

} // namespace gpu
