#pragma once

#include "ui/theme.h"

#include <Qsci/qscilexercpp.h>

namespace ui {

/// C++ with CUDA's words: keywords, device types, built-in variables and functions, coloured by
/// role.
class CudaLexer : public QsciLexerCPP {
    Q_OBJECT
public:
    explicit CudaLexer(QObject *parent);

    void applyTheme(const Theme &theme);
    const char *keywords(int set) const override;
};

} // namespace ui
