#include "gpu/ptx/flow.h"

namespace gpu::ptx {

namespace {

struct BasicBlock {
    std::uint32_t begin = 0, end = 0;
    std::vector<std::uint32_t> successors;
};

class Graph {
public:
    Graph(const Function &function, const std::vector<Flow> &flow)
        : m_function(function)
        , m_flow(flow)
    {
        findBlocks();
        connect();
        postDominators();
    }

    /// First instruction of the immediate post-dominator of the block that ends with `last`.
    std::uint32_t meetingAfter(std::uint32_t last) const
    {
        const std::uint32_t dominator = m_dominator[m_blockOf[last]];
        return dominator >= m_blocks.size() ? NoTarget : m_blocks[dominator].begin;
    }

private:
    void findBlocks()
    {
        const std::size_t n = m_function.code.size();
        std::vector<bool> leader(n + 1, false);
        leader[0] = true;
        for (std::size_t i = 0; i < n; ++i) {
            const Instruction &in = m_function.code[i];
            if (m_flow[i] == Flow::Next)
                continue;
            leader[i + 1] = true;
            if (in.target < n && (m_flow[i] == Flow::Jump || m_flow[i] == Flow::Branch))
                leader[in.target] = true;
            if (m_flow[i] == Flow::Table)
                for (std::uint32_t k = 0; k < in.mode; ++k)
                    leader[m_function.lists[in.list + k]] = true;
        }
        m_blockOf.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            if (leader[i])
                m_blocks.push_back({std::uint32_t(i), 0, {}});
            m_blocks.back().end = std::uint32_t(i + 1);
            m_blockOf[i] = std::uint32_t(m_blocks.size() - 1);
        }
    }

    void connect()
    {
        m_exit = std::uint32_t(m_blocks.size());
        for (BasicBlock &block : m_blocks) {
            const std::uint32_t last = block.end - 1;
            const Instruction &in = m_function.code[last];
            const auto to = [&](std::uint32_t index) {
                block.successors.push_back(index < m_blockOf.size() ? m_blockOf[index] : m_exit);
            };
            const Flow flow = m_flow[last];
            if (flow == Flow::End)
                block.successors.push_back(m_exit);
            if (flow == Flow::Jump || flow == Flow::Branch)
                to(in.target);
            if (flow == Flow::Table)
                for (std::uint32_t k = 0; k < in.mode; ++k)
                    to(m_function.lists[in.list + k]);
            if (flow == Flow::Next || flow == Flow::Branch || flow == Flow::Call)
                to(block.end);
        }
    }

    /// Cooper, Harvey and Kennedy's iteration on the reversed graph.
    void postDominators()
    {
        std::vector<std::vector<std::uint32_t>> predecessors(m_blocks.size() + 1);
        for (std::uint32_t b = 0; b < m_blocks.size(); ++b)
            for (const std::uint32_t s : m_blocks[b].successors)
                predecessors[s].push_back(b);
        // Postorder of the reversed graph from the exit, without recursion.
        std::vector<std::uint32_t> order;
        std::vector<std::uint32_t> rank(m_blocks.size() + 1, NoTarget);
        std::vector<std::pair<std::uint32_t, std::size_t>> stack{{m_exit, 0}};
        std::vector<bool> seen(m_blocks.size() + 1, false);
        seen[m_exit] = true;
        while (!stack.empty()) {
            auto &[node, next] = stack.back();
            if (next < predecessors[node].size()) {
                const std::uint32_t child = predecessors[node][next++];
                if (!seen[child]) {
                    seen[child] = true;
                    stack.push_back({child, 0});
                }
                continue;
            }
            rank[node] = std::uint32_t(order.size());
            order.push_back(node);
            stack.pop_back();
        }
        m_dominator.assign(m_blocks.size() + 1, NoTarget);
        m_dominator[m_exit] = m_exit;
        const auto meet = [&](std::uint32_t a, std::uint32_t b) {
            while (a != b) {
                while (rank[a] < rank[b])
                    a = m_dominator[a];
                while (rank[b] < rank[a])
                    b = m_dominator[b];
            }
            return a;
        };
        for (bool changed = true; changed;) {
            changed = false;
            for (auto node = order.rbegin(); node != order.rend(); ++node) {
                if (*node == m_exit)
                    continue;
                std::uint32_t dominator = NoTarget;
                for (const std::uint32_t s : m_blocks[*node].successors)
                    if (m_dominator[s] != NoTarget)
                        dominator = dominator == NoTarget ? s : meet(s, dominator);
                changed |= m_dominator[*node] != dominator;
                m_dominator[*node] = dominator;
            }
        }
    }

    const Function &m_function;
    const std::vector<Flow> &m_flow;
    std::vector<BasicBlock> m_blocks;
    std::vector<std::uint32_t> m_blockOf;
    std::vector<std::uint32_t> m_dominator;
    std::uint32_t m_exit = 0;
};

} // namespace

void placeMeetings(Function &function, std::vector<Flow> &flow, Handler meet)
{
    const std::size_t n = function.code.size();
    const Graph graph(function, flow);
    std::vector<bool> meets(n, false);
    for (std::size_t i = 0; i < n; ++i) {
        if (flow[i] != Flow::Branch && flow[i] != Flow::Table && flow[i] != Flow::Call)
            continue;
        function.code[i].reconverge
            = flow[i] == Flow::Call ? std::uint32_t(i + 1) : graph.meetingAfter(std::uint32_t(i));
        if (function.code[i].reconverge < n)
            meets[function.code[i].reconverge] = true;
    }
    std::vector<std::uint32_t> moved(n + 1);
    std::vector<Instruction> code;
    for (std::size_t i = 0; i < n; ++i) {
        moved[i] = std::uint32_t(code.size());
        if (meets[i]) {
            Instruction point;
            point.handler = meet;
            point.file = function.code[i].file;
            point.line = function.code[i].line;
            code.push_back(point);
        }
        code.push_back(function.code[i]);
    }
    moved[n] = std::uint32_t(code.size());
    std::size_t old = 0;
    for (Instruction &in : code) {
        if (in.handler == meet)
            continue;
        const Flow kind = flow[old++];
        if (kind == Flow::Jump || kind == Flow::Branch)
            in.target = moved[in.target];
        if (kind == Flow::Table)
            for (std::uint32_t k = 0; k < in.mode; ++k)
                function.lists[in.list + k] = moved[function.lists[in.list + k]];
        if (in.reconverge != NoTarget)
            in.reconverge = moved[in.reconverge];
    }
    function.code = std::move(code);
}

} // namespace gpu::ptx
