#include "core/session/draftstore.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QSaveFile>

namespace core {

namespace {

/// First line of a draft; the hash of the source it was begun on follows.
const QByteArray Mark = QByteArrayLiteral("espalier draft 1 ");

QByteArray hashOf(const QString &text)
{
    return QCryptographicHash::hash(text.toUtf8(), QCryptographicHash::Sha256).toHex();
}

} // namespace

DraftStore::DraftStore(const QString &sessionFile)
    : m_folder(sessionFile + QStringLiteral(".drafts"))
{
}

QString DraftStore::path(NodeId node) const
{
    return QDir(m_folder).filePath(QStringLiteral("%1.cu").arg(node));
}

gpu::Status DraftStore::save(NodeId node, const QString &base, const QString &text)
{
    const auto refuse = [&](const QString &reason) {
        return gpu::environmentError(
            QStringLiteral("The draft of #%1 cannot be stored in %2: %3. It is kept in the editor; "
                           "make room or write access there.")
                .arg(node)
                .arg(m_folder, reason)
                .toStdString());
    };
    if (!QDir().mkpath(m_folder))
        return refuse(QStringLiteral("the folder cannot be made"));
    QFile::setPermissions(m_folder, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    QSaveFile file(path(node));
    const QByteArray bytes = Mark + hashOf(base) + '\n' + text.toUtf8();
    if (!file.open(QIODevice::WriteOnly))
        return refuse(file.errorString());
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner);
    if (file.write(bytes) != bytes.size() || !file.commit())
        return refuse(file.errorString());
    return gpu::Unit{};
}

std::optional<Draft> DraftStore::load(NodeId node, const QString &base) const
{
    QFile file(path(node));
    if (!file.open(QIODevice::ReadOnly))
        return std::nullopt;
    const QByteArray head = file.readLine().trimmed();
    if (!head.startsWith(Mark))
        return std::nullopt;
    Draft draft;
    draft.node = node;
    draft.baseChanged = head.mid(Mark.size()) != hashOf(base);
    draft.text = QString::fromUtf8(file.readAll());
    return draft;
}

void DraftStore::remove(NodeId node)
{
    QFile::remove(path(node));
    QDir().rmdir(m_folder); // only when it is empty
}

QList<NodeId> DraftStore::nodes() const
{
    QList<NodeId> nodes;
    for (const QString &name : QDir(m_folder).entryList({QStringLiteral("*.cu")}, QDir::Files))
        if (const NodeId node = QStringView(name).chopped(3).toUInt())
            nodes.append(node);
    std::sort(nodes.begin(), nodes.end());
    return nodes;
}

} // namespace core
