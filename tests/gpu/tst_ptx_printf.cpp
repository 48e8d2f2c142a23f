#include "gpu/ptx/printf.h"

#include <QtTest>

#include <cstring>
#include <random>

using namespace gpu::ptx;

namespace {

/// Packs arguments as device code does: each aligned to its size.
class Pack {
public:
    template <class T> Pack &add(T value)
    {
        m_bytes.resize((m_bytes.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T) + sizeof(T));
        std::memcpy(m_bytes.data() + m_bytes.size() - sizeof(T), &value, sizeof(T));
        return *this;
    }
    std::vector<std::byte> m_bytes;
};

std::optional<std::string> readString(std::uint64_t address)
{
    if (address == 0x1000)
        return "text";
    return std::nullopt;
}

QString print(const char *format, const Pack &pack = {})
{
    return QString::fromStdString(formatPrintf(format, pack.m_bytes, readString));
}

} // namespace

class TestPtxPrintf : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void conversions_data()
    {
        QTest::addColumn<QByteArray>("format");
        QTest::addColumn<QByteArray>("arguments");
        QTest::addColumn<QString>("text");
        auto row = [](const char *format, const Pack &pack, const char *text) {
            QTest::newRow(format) << QByteArray(format)
                                  << QByteArray(reinterpret_cast<const char *>(pack.m_bytes.data()),
                                         qsizetype(pack.m_bytes.size()))
                                  << QString::fromLatin1(text);
        };
        row("plain", Pack(), "plain");
        row("100%%", Pack(), "100%");
        row("%d|%i", Pack().add(-5).add(7), "-5|7");
        row("%u", Pack().add(-1), "4294967295");
        row("%x %X %#x %o", Pack().add(255).add(255).add(255).add(8), "ff FF 0xff 10");
        row("%5d|%-5d|%05d|%+d|% d", Pack().add(42).add(42).add(42).add(42).add(42),
            "   42|42   |00042|+42| 42");
        row("%ld", Pack().add(-9000000000ll), "-9000000000");
        row("%lld %llu", Pack().add(-1ll).add(-1ll), "-1 18446744073709551615");
        row("%lu %zu", Pack().add(5ull).add(6ull), "5 6");
        row("%hd %hhd %hu", Pack().add(65535).add(255).add(65537), "-1 -1 1");
        row("%d %lld %d", Pack().add(1).add(2ll).add(3), "1 2 3");
        row("%f", Pack().add(1.5), "1.500000");
        row("%.2f %8.3f|%-8.1f|", Pack().add(3.14159).add(3.14159).add(3.14159),
            "3.14    3.142|3.1     |");
        row("%e %g %a", Pack().add(12345.678).add(0.0001).add(1.0), "1.234568e+04 0.0001 0x1p+0");
        row("%f %f", Pack().add(std::numeric_limits<double>::infinity()).add(-0.0),
            "inf -0.000000");
        row("%d %f", Pack().add(1).add(2.5), "1 2.500000");
        row("%c%c", Pack().add(72).add(105), "Hi");
        row("%s|%8s|%-6s|%.2s", Pack().add(0x1000ll).add(0x1000ll).add(0x1000ll).add(0x1000ll),
            "text|    text|text  |te");
        row("%s", Pack().add(0x2000ll), "(bad pointer)");
        row("%p", Pack().add(0x7f00ll), "0x7f00");
        row("%*d|%-*d|%.*f", Pack().add(4).add(7).add(3).add(7).add(1).add(2.25), "   7|7  |2.2");
        row("%*d|", Pack().add(-4).add(7), "7   |");
        row("%.*f", Pack().add(-1).add(0.5), "0.500000");
    }
    void conversions()
    {
        QFETCH(QByteArray, format);
        QFETCH(QByteArray, arguments);
        QFETCH(QString, text);
        const auto bytes
            = std::as_bytes(std::span(arguments.constData(), std::size_t(arguments.size())));
        QCOMPARE(
            QString::fromStdString(formatPrintf(format.toStdString(), bytes, readString)), text);
    }

    void badFormats()
    {
        QCOMPARE(print("%"), QStringLiteral("%"));
        QCOMPARE(print("%q%d", Pack().add(3)), QStringLiteral("%q3"));
        QCOMPARE(print("a%5"), QStringLiteral("a%5"));
        QCOMPARE(print("%n|", Pack().add(0x1000ll)), QStringLiteral("%n|"));
        QCOMPARE(print("%d %s"), QStringLiteral("0 (null)"));
        QVERIFY(print("%999999999999d", Pack().add(1)).size() < 10000);
        QVERIFY(print("%.999999999999f", Pack().add(1.0)).size() < 10000);
        QVERIFY(print("%*d", Pack().add(std::numeric_limits<int>::min()).add(1)).size() < 10000);
    }

    void randomFormatsAreHarmless()
    {
        std::mt19937 random(7);
        const std::string alphabet("%%%%dluxofegacspnhz*.0123-+ #\0q", 31);
        for (int i = 0; i < 20000; ++i) {
            std::string format;
            for (auto length = random() % 12; length > 0; --length)
                format += alphabet[random() % alphabet.size()];
            Pack pack;
            for (auto count = random() % 4; count > 0; --count)
                pack.add(random());
            const std::string text = formatPrintf(format, pack.m_bytes, readString);
            QVERIFY(text.size() < 60000);
        }
    }
};

QTEST_APPLESS_MAIN(TestPtxPrintf)
#include "tst_ptx_printf.moc"
