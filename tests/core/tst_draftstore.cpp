#include "core/session/draftstore.h"

#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

using core::DraftStore;

/// Drafts on the real disk.
class TestDraftStore : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void keepsWhatWasTyped()
    {
        const QString text = QStringLiteral("// µs\n__global__ void k() { }\n\n");
        QVERIFY(DraftStore(session()).save(5, QStringLiteral("base"), text).ok());
        const auto draft = DraftStore(session()).load(5, QStringLiteral("base"));
        QVERIFY(draft);
        QCOMPARE(draft->node, core::NodeId(5));
        QCOMPARE(draft->text, text);
        QVERIFY(!draft->baseChanged);
    }

    void marksAnotherBase()
    {
        DraftStore store(session());
        QVERIFY(store.save(5, QStringLiteral("base"), QStringLiteral("draft")).ok());
        const auto draft = store.load(5, QStringLiteral("another base"));
        QVERIFY(draft && draft->baseChanged);
        QCOMPARE(draft->text, QStringLiteral("draft"));
    }

    void listsAndRemoves()
    {
        DraftStore store(session());
        QVERIFY(store.nodes().isEmpty());
        for (core::NodeId node : {12u, 3u})
            QVERIFY(store.save(node, {}, QStringLiteral("x")).ok());
        QCOMPARE(store.nodes(), (QList<core::NodeId>{3, 12}));
        store.remove(3);
        QCOMPARE(store.nodes(), (QList<core::NodeId>{12}));
        QVERIFY(!store.load(3, {}));
        store.remove(12);
        QVERIFY(!QFileInfo::exists(session() + QStringLiteral(".drafts")));
    }

    void onlyItsOwnerReadsIt()
    {
        QVERIFY(DraftStore(session()).save(1, {}, QStringLiteral("x")).ok());
        const QFile::Permissions others
            = QFile::ReadGroup | QFile::WriteGroup | QFile::ReadOther | QFile::WriteOther;
        const QString folder = session() + QStringLiteral(".drafts");
        QVERIFY(!(QFile::permissions(folder) & others));
        QVERIFY(!(QFile::permissions(folder + QStringLiteral("/1.cu")) & others));
    }

    void ignoresForeignFiles()
    {
        DraftStore store(session());
        QVERIFY(store.save(1, {}, QStringLiteral("x")).ok());
        QFile file(session() + QStringLiteral(".drafts/2.cu"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("__global__ void k() { }\n");
        file.close();
        QVERIFY(!store.load(2, {}));
    }

    void saysWhereItCannotWrite()
    {
        QFile file(m_folder->filePath(QStringLiteral("file")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        const QString below = file.fileName() + QStringLiteral("/session.espalier");
        const gpu::Status status = DraftStore(below).save(7, {}, QStringLiteral("x"));
        QVERIFY(!status.ok());
        QCOMPARE(status.error().blame, gpu::Blame::Environment);
        const QString message = QString::fromStdString(status.error().message);
        QVERIFY2(
            message.contains(QStringLiteral("#7")) && message.contains(below), qPrintable(message));
    }

private:
    QString session() const { return m_folder->filePath(QStringLiteral("s.espalier")); }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestDraftStore)
#include "tst_draftstore.moc"
