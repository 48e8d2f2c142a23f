#include "ui/theme.h"

#include <QApplication>
#include <QSettings>
#include <QStyle>
#include <QStyleFactory>

namespace ui {

namespace {

constexpr ColorScheme Schemes[] = {ColorScheme::System, ColorScheme::Light, ColorScheme::Dark};
const QString SchemeKey = QStringLiteral("window/colorScheme");

struct RoleColors {
    Role role;
    QRgb light, dark;
};

// Verdicts follow Okabe and Ito's colour-blind-safe set, darkened or lightened to keep a
// contrast of at least 3:1 on the canvas; shape says the same thing again.
constexpr RoleColors Table[] = {
    {Role::Canvas, 0xfff6f7f9, 0xff16191d},
    {Role::Surface, 0xffffffff, 0xff20252b},
    {Role::SurfaceAlt, 0xfff0f3f7, 0xff272d34},
    {Role::Text, 0xff1d2329, 0xffe7eaee},
    {Role::TextMuted, 0xff5b6570, 0xffa3adb8},
    {Role::TextFaint, 0xff8a94a0, 0xff727d89},
    {Role::Border, 0xffd8dde3, 0xff39414a},
    {Role::Edge, 0xffc0c8d1, 0xff48525d},
    {Role::Accent, 0xff0072b2, 0xff56b4e9},
    {Role::AccentSoft, 0xffdcecf7, 0xff1d3a4d},
    {Role::OnVerdict, 0xffffffff, 0xff14171a},
    {Role::VerdictOk, 0xff008f68, 0xff2fc297},
    {Role::VerdictSlower, 0xff6c8f86, 0xff7fa399},
    {Role::VerdictBuild, 0xffc98600, 0xffe8a91f},
    {Role::VerdictWrong, 0xffc8500a, 0xfff0793a},
    {Role::VerdictFault, 0xffb0528a, 0xffd98cba},
    {Role::VerdictNeutral, 0xff7d8792, 0xff8d97a2},
    {Role::Running, 0xff0072b2, 0xff56b4e9},
    {Role::Idea, 0xff51606f, 0xffb6c1cd},
    {Role::SyntaxKeyword, 0xff0a5aa0, 0xff7cc0f5},
    {Role::SyntaxType, 0xff00786a, 0xff5fd0bd},
    {Role::SyntaxBuiltin, 0xff9a3f86, 0xffe09bd0},
    {Role::SyntaxComment, 0xff6a7682, 0xff84909c},
    {Role::SyntaxString, 0xff8a5a00, 0xffe3b765},
    {Role::SyntaxNumber, 0xffa8430b, 0xfff2a27a},
    {Role::SyntaxPreprocessor, 0xff5d5fa8, 0xffb3b5f0},
};

bool isDarkPalette(const QPalette &palette)
{
    return palette.color(QPalette::WindowText).lightnessF()
        > palette.color(QPalette::Window).lightnessF();
}

QPalette paletteOf(bool dark)
{
    QPalette seed;
    seed.setColor(QPalette::Window, dark ? Qt::black : Qt::white);
    seed.setColor(QPalette::WindowText, dark ? Qt::white : Qt::black);
    const Theme theme = Theme::fromPalette(seed);
    const QColor window = theme.color(Role::SurfaceAlt);
    QPalette palette(theme.color(Role::Surface), window);
    palette.setColor(QPalette::WindowText, theme.color(Role::Text));
    palette.setColor(QPalette::Text, theme.color(Role::Text));
    palette.setColor(QPalette::ButtonText, theme.color(Role::Text));
    palette.setColor(QPalette::Base, theme.color(Role::Surface));
    palette.setColor(QPalette::AlternateBase, theme.color(Role::Canvas));
    palette.setColor(QPalette::ToolTipBase, theme.color(Role::Surface));
    palette.setColor(QPalette::ToolTipText, theme.color(Role::Text));
    palette.setColor(QPalette::PlaceholderText, theme.color(Role::TextFaint));
    palette.setColor(QPalette::Highlight, theme.color(Role::Accent));
    palette.setColor(QPalette::HighlightedText, theme.color(Role::OnVerdict));
    palette.setColor(QPalette::Link, theme.color(Role::Accent));
    palette.setColor(QPalette::LinkVisited, theme.color(Role::Accent));
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
        palette.setColor(QPalette::Disabled, role, theme.color(Role::TextFaint));
    }
    palette.setColor(QPalette::Disabled, QPalette::Highlight, theme.color(Role::Border));
    return palette;
}

} // namespace

Theme Theme::fromPalette(const QPalette &palette)
{
    Theme theme;
    theme.m_dark = isDarkPalette(palette);
    for (const RoleColors &entry : Table) {
        theme.m_colors[static_cast<std::size_t>(entry.role)]
            = QColor::fromRgb(theme.m_dark ? entry.dark : entry.light);
    }
    return theme;
}

QString name(ColorScheme scheme)
{
    switch (scheme) {
    case ColorScheme::System:
        break;
    case ColorScheme::Light:
        return QStringLiteral("light");
    case ColorScheme::Dark:
        return QStringLiteral("dark");
    }
    return QStringLiteral("system");
}

std::optional<ColorScheme> colorSchemeOf(const QString &text)
{
    for (const ColorScheme scheme : Schemes)
        if (name(scheme) == text)
            return scheme;
    return std::nullopt;
}

void applyColorScheme(QApplication &application, ColorScheme scheme)
{
    // A new style polishes every widget again: once is enough.
    if (application.style()->name() != QLatin1String("fusion"))
        application.setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    // An empty palette brings the desktop's back, which an earlier choice has replaced.
    if (scheme == ColorScheme::System)
        application.setPalette(QPalette());
    const bool dark = scheme == ColorScheme::Dark
        || (scheme == ColorScheme::System && isDarkPalette(application.palette()));
    application.setPalette(paletteOf(dark));
}

ColorScheme storedColorScheme()
{
    return colorSchemeOf(QSettings().value(SchemeKey).toString()).value_or(ColorScheme::System);
}

void storeColorScheme(ColorScheme scheme)
{
    QSettings().setValue(SchemeKey, name(scheme));
}

} // namespace ui
