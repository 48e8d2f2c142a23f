#pragma once

#include <QColor>
#include <QPalette>

#include <array>
#include <optional>

class QApplication;

namespace ui {

/// What a colour is for. Widgets ask for a role, never for a colour.
enum class Role {
    Canvas, ///< behind the tree
    Surface, ///< cards
    SurfaceAlt, ///< idea cards, table stripes
    Text,
    TextMuted,
    TextFaint,
    Border,
    Edge,
    Accent,
    AccentSoft, ///< the accent as a background
    OnVerdict, ///< glyphs drawn on a verdict colour
    VerdictOk,
    VerdictSlower,
    VerdictBuild,
    VerdictWrong,
    VerdictFault,
    VerdictNeutral,
    Running,
    Idea,
    SyntaxKeyword,
    SyntaxType,
    SyntaxBuiltin,
    SyntaxComment,
    SyntaxString,
    SyntaxNumber,
    SyntaxPreprocessor,
    Count
};

/// Colours by role for one palette. Cheap to copy; make a new one on QEvent::PaletteChange.
class Theme {
public:
    /// Dark if the palette's text is lighter than its window.
    static Theme fromPalette(const QPalette &palette);

    QColor color(Role role) const { return m_colors[static_cast<std::size_t>(role)]; }
    bool isDark() const { return m_dark; }

private:
    std::array<QColor, static_cast<std::size_t>(Role::Count)> m_colors;
    bool m_dark = false;
};

enum class ColorScheme { System, Light, Dark };

/// "system", "light" or "dark", as the command line and the settings say it.
QString name(ColorScheme scheme);
std::optional<ColorScheme> colorSchemeOf(const QString &name);

/// Fusion style and our own palette, so that the window looks the same on every desktop. With
/// `System` light or dark is taken from the desktop's palette.
void applyColorScheme(QApplication &application, ColorScheme scheme);

/// The user's choice, in the settings; `System` until there is one.
ColorScheme storedColorScheme();
void storeColorScheme(ColorScheme scheme);

} // namespace ui
