#pragma once

#include "gpu/protocol/message.h"

#include <nlohmann/json.hpp>

#include <string>
#include <unistd.h>

/// Both ends of the two pipes that a worker or runner under test talks over.
class LineChannel {
public:
    LineChannel()
        : m_ready(pipe(m_in) == 0 && pipe(m_out) == 0)
        , m_reader(m_out[0])
    {
    }
    ~LineChannel()
    {
        closeInput();
        closeOutput();
        close(m_in[0]);
        close(m_out[0]);
    }
    int inputFd() const { return m_in[0]; }
    int outputFd() const { return m_out[1]; }

    void send(const nlohmann::json &message) { sendText(message.dump() + "\n"); }
    void sendText(const std::string &text)
    {
        m_ready = m_ready && ::write(m_in[1], text.data(), text.size()) == ssize_t(text.size());
    }
    void closeInput() { closeOnce(m_in[1]); }
    void closeOutput() { closeOnce(m_out[1]); }

    /// The next message that is no stage event; null after ten seconds or at the end.
    nlohmann::json receive(std::vector<std::string> *stages = nullptr)
    {
        std::string line;
        while (m_reader.read(line, 10) == gpu::LineReader::Outcome::Line) {
            const nlohmann::json message = nlohmann::json::parse(line);
            if (message.at("event") != "stage")
                return message;
            if (stages)
                stages->push_back(message.at("stage"));
        }
        return nullptr;
    }

    /// Reads up to the next event of that stage; false after ten seconds or at the end.
    bool waitForStage(const std::string &stage)
    {
        std::string line;
        while (m_reader.read(line, 10) == gpu::LineReader::Outcome::Line) {
            const nlohmann::json message = nlohmann::json::parse(line);
            if (message.at("event") == "stage" && message.at("stage") == stage)
                return true;
        }
        return false;
    }

private:
    static void closeOnce(int &fd)
    {
        if (fd >= 0)
            close(fd);
        fd = -1;
    }
    int m_in[2] = {-1, -1}, m_out[2] = {-1, -1};
    bool m_ready;
    gpu::LineReader m_reader;
};
