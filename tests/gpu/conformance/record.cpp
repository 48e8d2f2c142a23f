#include "tests/gpu/conformance/record.h"

namespace gpu::conformance {

namespace {

using nlohmann::json;

std::string hexOf(const std::vector<std::byte> &bytes)
{
    constexpr std::string_view Digits = "0123456789abcdef";
    std::string text;
    for (std::byte byte : bytes) {
        text += Digits[std::size_t(byte) >> 4];
        text += Digits[std::size_t(byte) & 15];
    }
    return text;
}

std::vector<std::byte> bytesOf(const std::string &hex)
{
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
        bytes.push_back(std::byte(std::stoul(hex.substr(i, 2), nullptr, 16)));
    return bytes;
}

std::string hashText(const void *data, std::size_t size)
{
    return std::to_string(hashOf(data, size));
}

} // namespace

json emptyRecord(const std::string &device)
{
    return {{"device", device}, {"cases", json::object()}};
}

void addToRecord(json &record, const Case &test, const Outputs &outputs)
{
    json list = json::array();
    const auto arguments = outputArguments(test);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        json entry{{"name", arguments[i]->name}, {"bytes", outputs[i].size()}};
        if (isExact(*arguments[i]))
            entry["hash"] = hashText(outputs[i].data(), outputs[i].size());
        else
            entry["values"] = hexOf(outputs[i]);
        list.push_back(entry);
    }
    record["cases"][test.name]
        = {{"source", hashText(test.source.data(), test.source.size())}, {"outputs", list}};
}

std::optional<std::string> differenceFromRecord(
    const json &record, const Case &test, const Outputs &outputs)
{
    const auto found = record.at("cases").find(test.name);
    if (found == record.at("cases").end())
        return "not recorded on a GPU yet: run conformance --record there";
    if (found->at("source") != hashText(test.source.data(), test.source.size()))
        return "changed since it was recorded: run conformance --record on a GPU";
    const auto arguments = outputArguments(test);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const json &entry = found->at("outputs").at(i);
        if (entry.at("bytes") != outputs[i].size())
            return arguments[i]->name + " has another size";
        if (!isExact(*arguments[i])) {
            if (auto difference = firstDifference(
                    *arguments[i], outputs[i], bytesOf(entry.at("values").get<std::string>())))
                return difference;
        } else if (entry.at("hash") != hashText(outputs[i].data(), outputs[i].size())) {
            return arguments[i]->name + " differs from what the GPU gave";
        }
    }
    return std::nullopt;
}

} // namespace gpu::conformance
