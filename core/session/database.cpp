#include "core/session/database.h"

#include <QFileInfo>
#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QUuid>

namespace core {

namespace {
/// "ESPL": how a session is told from any other SQLite file.
constexpr int ApplicationId = 0x4553504c;
/// 2 added run_off.
constexpr int SchemaVersion = 2;

const char *const RunOffTable
    = "CREATE TABLE run_off (id INTEGER PRIMARY KEY, a INTEGER NOT NULL, b INTEGER NOT NULL,"
      " comparison TEXT NOT NULL, ratio REAL, low REAL, high REAL, pairs INTEGER NOT NULL,"
      " message TEXT NOT NULL, ended TEXT NOT NULL)";

const char *const Schema[] = {
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE node (id INTEGER PRIMARY KEY, parent INTEGER NOT NULL, path TEXT NOT NULL UNIQUE,"
    " kind TEXT NOT NULL, state TEXT NOT NULL, round INTEGER NOT NULL, author TEXT, title TEXT,"
    " category TEXT, message TEXT, idea_text TEXT, source TEXT, verdict TEXT, precision TEXT,"
    " device_kind TEXT, median_us REAL, low_us REAL, high_us REAL, checks_passed INTEGER,"
    " checks_total INTEGER, pinned INTEGER NOT NULL DEFAULT 0, excluded INTEGER NOT NULL DEFAULT 0,"
    " archived INTEGER NOT NULL DEFAULT 0, created TEXT NOT NULL, finished TEXT)",
    "CREATE TABLE call (id INTEGER PRIMARY KEY, node INTEGER NOT NULL, request TEXT NOT NULL,"
    " round INTEGER NOT NULL, idea INTEGER NOT NULL, branch INTEGER NOT NULL,"
    " attempt INTEGER NOT NULL, provider TEXT, model TEXT, prompt TEXT, reply TEXT, reasoning TEXT,"
    " finish_reason TEXT, error TEXT, input_tokens INTEGER, cached_tokens INTEGER,"
    " reasoning_tokens INTEGER, output_tokens INTEGER, cost_usd REAL, latency_ms INTEGER,"
    " ended TEXT NOT NULL)",
    "CREATE INDEX call_node ON call (node)",
    "CREATE TABLE evaluation (id INTEGER PRIMARY KEY, node INTEGER NOT NULL, json TEXT NOT NULL,"
    " ended TEXT NOT NULL)",
    "CREATE INDEX evaluation_node ON evaluation (node)",
    "CREATE TABLE event (id INTEGER PRIMARY KEY, at TEXT NOT NULL, kind TEXT NOT NULL,"
    " round INTEGER NOT NULL, node INTEGER NOT NULL, text TEXT NOT NULL)",
    RunOffTable,
};

QSqlDatabase connection(const QString &name)
{
    return QSqlDatabase::database(name, false);
}

gpu::Error caller(const QString &text)
{
    return gpu::callerError(text.toStdString());
}
} // namespace

Database::~Database()
{
    close();
}

void Database::close()
{
    if (m_connection.isEmpty())
        return;
    if (m_writes) {
        // One plain file is left, that opens from a read-only folder too. A reader may be in the
        // way: then the log stays beside it, which is as well.
        for (const char *pragma : {"PRAGMA busy_timeout=0", "PRAGMA journal_mode=DELETE"}) {
            const gpu::Status ignored = run(QString::fromLatin1(pragma));
            static_cast<void>(ignored);
        }
    }
    connection(m_connection).close();
    QSqlDatabase::removeDatabase(m_connection);
    m_connection.clear();
}

gpu::Error Database::failure(
    const QString &what, const QString &nativeCode, const QString &text) const
{
    QString remedy;
    gpu::Blame blame = gpu::Blame::Environment;
    // https://sqlite.org/rescode.html: extended codes hold the primary one in their low byte.
    switch (nativeCode.toInt() & 0xff) {
    case 5: // SQLITE_BUSY
    case 6: // SQLITE_LOCKED
        remedy = QStringLiteral("Another process holds the file. Close it and try again.");
        break;
    case 8: // SQLITE_READONLY
    case 14: // SQLITE_CANTOPEN
        remedy = QStringLiteral("Check that the file and its folder exist and may be written.");
        break;
    case 10: // SQLITE_IOERR
    case 13: // SQLITE_FULL
        remedy = QStringLiteral("The disk is full or failing. Free some space, then resume: "
                                "everything up to this point is stored.");
        break;
    case 11: // SQLITE_CORRUPT
        remedy = QStringLiteral("The file is damaged. Restore it from a copy, or save what is "
                                "readable with `sqlite3 FILE .recover`.");
        blame = gpu::Blame::Caller;
        break;
    case 26: // SQLITE_NOTADB
        remedy = QStringLiteral("It is not an Espalier session. Name a file that `espalier search` "
                                "wrote.");
        blame = gpu::Blame::Caller;
        break;
    default:
        remedy = QStringLiteral("This should not happen; please report it.");
        break;
    }
    return {blame, QStringLiteral("%1: %2 (%3). %4").arg(m_file, what, text, remedy).toStdString()};
}

gpu::Status Database::open(const QString &file, Mode mode)
{
    close();
    m_file = file;
    m_writes = false;
    const QFileInfo info(file);
    if (mode != Mode::Create && !info.exists())
        return caller(QStringLiteral("%1 does not exist. Name a file that `espalier search` wrote.")
                          .arg(file));
    if (info.isDir())
        return caller(QStringLiteral("%1 is a folder. Name a session file.").arg(file));
    if (info.exists() && !info.isReadable())
        return gpu::environmentError(
            QStringLiteral("%1 cannot be read. Check its permissions.").arg(file).toStdString());

    m_connection = QUuid::createUuid().toString(QUuid::WithoutBraces);
    QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), m_connection);
    if (!database.isValid()) {
        close();
        return gpu::environmentError("Qt's SQLite driver is missing. Install libqt6sql6-sqlite.");
    }
    database.setDatabaseName(file);
    QString options = QStringLiteral("QSQLITE_BUSY_TIMEOUT=5000");
    if (mode == Mode::Read)
        options += QStringLiteral(";QSQLITE_OPEN_READONLY");
    database.setConnectOptions(options);
    if (!database.open()) {
        const QSqlError error = database.lastError();
        const gpu::Error result = failure(
            QStringLiteral("cannot be opened"), error.nativeErrorCode(), error.databaseText());
        database = {};
        close();
        return result;
    }
    database = {};
    gpu::Status status = prepare(mode);
    if (!status)
        close();
    return status;
}

gpu::Status Database::startLog()
{
    m_writes = true;
    for (const char *pragma : {"PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL"}) {
        if (const gpu::Status status = run(QString::fromLatin1(pragma)); !status)
            return status;
    }
    return gpu::Unit{};
}

gpu::Status Database::prepare(Mode mode)
{
    if (mode == Mode::Create) {
        return transaction([this]() -> gpu::Status {
            for (const char *statement : Schema) {
                if (const gpu::Status status = run(QString::fromLatin1(statement)); !status)
                    return status;
            }
            if (const gpu::Status status
                = run(QStringLiteral("PRAGMA application_id=%1").arg(ApplicationId));
                !status)
                return status;
            return run(QStringLiteral("PRAGMA user_version=%1").arg(SchemaVersion));
        });
    }
    int application = 0, version = 0;
    const auto number = [](int &target) {
        return [&target](const QSqlQuery &query) { target = query.value(0).toInt(); };
    };
    if (const gpu::Status status
        = run(QStringLiteral("PRAGMA application_id"), {}, number(application));
        !status)
        return status;
    if (const gpu::Status status = run(QStringLiteral("PRAGMA user_version"), {}, number(version));
        !status)
        return status;
    if (application != ApplicationId)
        return caller(
            QStringLiteral("%1 is a SQLite file, but not an Espalier session. Name a file "
                           "that `espalier search` wrote.")
                .arg(m_file));
    if (version > SchemaVersion)
        return caller(QStringLiteral("%1 was written by a newer Espalier (session format %2, this "
                                     "one reads up to %3). Update Espalier to open it.")
                          .arg(m_file)
                          .arg(version)
                          .arg(SchemaVersion));
    if (mode == Mode::Write && !QFileInfo(m_file).isWritable())
        return gpu::environmentError(
            QStringLiteral("%1 cannot be written. Check its permissions, or "
                           "copy it to a folder of your own.")
                .arg(m_file)
                .toStdString());
    // Damage inside the file shows only when its pages are read.
    QString verdict;
    const gpu::Status status = run(QStringLiteral("PRAGMA quick_check(1)"), {},
        [&verdict](const QSqlQuery &query) { verdict = query.value(0).toString(); });
    if (!status)
        return status;
    if (verdict != QLatin1String("ok"))
        return failure(
            QStringLiteral("is damaged"), QStringLiteral("11"), verdict.simplified().left(200));
    if (mode != Mode::Write)
        return gpu::Unit{};
    if (const gpu::Status log = startLog(); !log)
        return log;
    return version < SchemaVersion ? upgrade() : gpu::Unit{};
}

gpu::Status Database::upgrade()
{
    return transaction([this]() -> gpu::Status {
        if (const gpu::Status status = run(QString::fromLatin1(RunOffTable)); !status)
            return status;
        return run(QStringLiteral("PRAGMA user_version=%1").arg(SchemaVersion));
    });
}

gpu::Status Database::run(const QString &sql, const QVariantList &values,
    const std::function<void(const QSqlQuery &)> &row)
{
    QSqlQuery query(connection(m_connection));
    query.setForwardOnly(true);
    bool ok = query.prepare(sql);
    if (ok) {
        for (const QVariant &value : values)
            query.addBindValue(value);
        ok = query.exec();
    }
    if (ok && row) {
        while (query.next())
            row(query);
        ok = query.lastError().type() == QSqlError::NoError;
    }
    if (ok)
        return gpu::Unit{};
    const QSqlError error = query.lastError();
    const bool reads = sql.startsWith(QLatin1String("SELECT"))
        || (sql.startsWith(QLatin1String("PRAGMA")) && !sql.contains(QLatin1Char('=')));
    return failure(reads ? QStringLiteral("cannot be read") : QStringLiteral("cannot be written"),
        error.nativeErrorCode(), error.databaseText());
}

gpu::Status Database::transaction(const std::function<gpu::Status()> &work)
{
    if (const gpu::Status status = run(QStringLiteral("BEGIN IMMEDIATE")); !status)
        return status;
    gpu::Status status = work();
    if (status)
        status = run(QStringLiteral("COMMIT"));
    if (!status) {
        // SQLite has rolled back by itself after some errors: then this one fails, rightly.
        const gpu::Status ignored = run(QStringLiteral("ROLLBACK"));
        static_cast<void>(ignored);
    }
    return status;
}

} // namespace core
