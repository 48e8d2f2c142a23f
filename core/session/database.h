#pragma once

#include "gpu/base/result.h"

#include <QString>
#include <QVariantList>

#include <functional>

class QSqlQuery;

namespace core {

/// The SQLite file of one session. Belongs to the thread that opened it. Every failure is an error
/// that names the file and the remedy.
class Database {
public:
    enum class Mode {
        Create, ///< the caller has seen that there is no such file yet
        Write,
        Read ///< may be done while another process writes
    };

    Database() = default;
    ~Database();
    Database(const Database &) = delete;
    Database &operator=(const Database &) = delete;

    gpu::Status open(const QString &file, Mode mode);
    void close();
    bool isOpen() const { return !m_connection.isEmpty(); }
    QString file() const { return m_file; }

    /// Runs one statement with its values bound in order; calls `row` for each row of the answer.
    gpu::Status run(const QString &sql, const QVariantList &values = {},
        const std::function<void(const QSqlQuery &)> &row = {});
    /// Runs `work` in one transaction: all of it is on disk when this returns ok, else none.
    gpu::Status transaction(const std::function<gpu::Status()> &work);

private:
    gpu::Status prepare(Mode mode);
    gpu::Status startLog();
    gpu::Status upgrade();
    gpu::Error failure(const QString &what, const QString &nativeCode, const QString &text) const;

    QString m_file;
    QString m_connection;
    bool m_writes = false;
};

} // namespace core
