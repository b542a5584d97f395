#pragma once

#include <exception>
#include <filesystem>
#include <string>
#include <string_view>

#include <itkMacro.h>

#include "core/base/error.h"

namespace isolume::images {

/// One line of what ITK tells: without "ITK ERROR: PNGImageIO(0x55d0c0a5f2b0): " in front, which is of no use
/// to a person.
inline std::string sentence_of(const itk::ExceptionObject& error) {
  std::string_view text = error.GetDescription();
  if (const std::size_t end = text.find("): "); text.starts_with("ITK ERROR") && end != text.npos) {
    text.remove_prefix(end + 3);
  }
  std::string sentence;
  for (const char c : text.substr(0, 200)) sentence += (c >= ' ' && c < 0x7f) ? c : ' ';
  while (!sentence.empty() && sentence.back() == ' ') sentence.pop_back();
  return sentence;
}

/// Calls `body`; what ITK and the libraries under it throw becomes an InputError of the file.
template <class Body>
auto with_itk(const std::filesystem::path& file, Body body) {
  try {
    return body();
  } catch (const itk::ExceptionObject& error) {
    throw InputError(file, 0, sentence_of(error), "Copy or export it again.");
  } catch (const std::bad_alloc&) {
    throw InputError(file, 0, "its header asks for more memory than there is",
                     "The file is damaged: copy or export it again.");
  } catch (const std::length_error&) {
    throw InputError(file, 0, "its header gives a length that cannot be", "Copy or export it again.");
  }
}

}  // namespace isolume::images
