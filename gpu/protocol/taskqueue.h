#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace gpu {

/// Threads that run tasks in the order they came. The destructor drops what has not begun and waits
/// for what has.
class TaskQueue {
public:
    explicit TaskQueue(unsigned threads)
    {
        for (unsigned i = 0; i < threads; ++i)
            m_threads.emplace_back([this] { work(); });
    }
    ~TaskQueue()
    {
        {
            const std::lock_guard lock(m_mutex);
            m_ended = true;
            m_tasks.clear();
        }
        m_changed.notify_all();
        for (std::thread &thread : m_threads)
            thread.join();
    }
    TaskQueue(const TaskQueue &) = delete;
    TaskQueue &operator=(const TaskQueue &) = delete;

    /// Any thread.
    void add(std::function<void()> task)
    {
        {
            const std::lock_guard lock(m_mutex);
            m_tasks.push_back(std::move(task));
        }
        m_changed.notify_one();
    }

private:
    void work()
    {
        for (;;) {
            std::function<void()> task;
            {
                std::unique_lock lock(m_mutex);
                m_changed.wait(lock, [this] { return m_ended || !m_tasks.empty(); });
                if (m_ended)
                    return;
                task = std::move(m_tasks.front());
                m_tasks.pop_front();
            }
            task();
        }
    }

    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<std::function<void()>> m_tasks;
    bool m_ended = false;
    std::vector<std::thread> m_threads;
};

} // namespace gpu
