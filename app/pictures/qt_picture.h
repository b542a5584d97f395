#pragma once

#include <filesystem>
#include <optional>

class QImage;

namespace isolume::pictures {

/// As write_png() of pixels; with opacity if the picture has it.
void write_png(const QImage& picture, const std::filesystem::path& path, std::optional<int> dpi = {});

}  // namespace isolume::pictures
