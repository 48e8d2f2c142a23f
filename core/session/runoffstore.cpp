#include "core/session/sessionstore.h"

#include <QSqlQuery>

// The part of the session that holds run-offs.

namespace core {

gpu::Status SessionStore::addRunOff(const RunOff &runOff)
{
    const gpu::Interval &ratio = runOff.times.ratio;
    return m_database.run(
        QStringLiteral("INSERT INTO run_off (a, b, comparison, ratio, low, high, pairs, message, "
                       "ended) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"),
        {runOff.a, runOff.b, comparisonName(runOff.times.comparison), ratio.value, ratio.low,
            ratio.high, runOff.pairs, runOff.message.isNull() ? QStringLiteral("") : runOff.message,
            QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs)});
}

gpu::Result<QList<RunOff>> SessionStore::runOffs()
{
    QList<RunOff> result;
    // A session of an older Espalier that is only read lacks the table.
    bool known = false;
    gpu::Status status
        = m_database.run(QStringLiteral("SELECT 1 FROM sqlite_master WHERE name='run_off'"), {},
            [&known](const QSqlQuery &) { known = true; });
    if (status && known)
        status = m_database.run(
            QStringLiteral("SELECT a, b, comparison, ratio, low, high, pairs, message FROM run_off "
                           "ORDER BY id"),
            {}, [&result](const QSqlQuery &query) {
                RunOff runOff;
                runOff.a = query.value(0).toUInt();
                runOff.b = query.value(1).toUInt();
                runOff.times.comparison
                    = gpu::comparisonFromName(query.value(2).toString().toStdString());
                runOff.times.ratio = {query.value(3).toDouble(), query.value(4).toDouble(),
                    query.value(5).toDouble()};
                runOff.pairs = query.value(6).toInt();
                runOff.message = query.value(7).toString();
                result.append(runOff);
            });
    if (!status)
        return status.error();
    return result;
}

} // namespace core
