import Foundation

/// The name of a file that a response suggests (RFC 6266).
enum ContentDisposition {
  /// Returns the name in a value of `Content-Disposition`, that of `filename*` first; `nil` if there is none.
  ///
  /// The name is what the server says, which may be any text.
  static func fileName(_ value: String) -> String? {
    var plain: String?
    for parameter in parameters(of: value) {
      switch parameter.name {
      case "filename*":
        if let name = decoded(parameter.value) { return name }
      case "filename": plain = plain ?? parameter.value
      default: break
      }
    }
    return plain.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The parameters behind the type, their names in lower case, their values unquoted.
  private static func parameters(of value: String) -> [(name: String, value: String)] {
    var parts: [String] = [""]
    var isQuoted = false
    var isEscaped = false
    for character in value.unicodeScalars {
      if isEscaped {
        isEscaped = false
      } else if isQuoted, character == "\\" {
        isEscaped = true
        continue
      } else if character == "\"" {
        isQuoted.toggle()
        continue
      } else if character == ";", !isQuoted {
        parts.append("")
        continue
      }
      parts[parts.count - 1].unicodeScalars.append(character)
    }
    return parts.dropFirst()
      .compactMap { part in
        guard let sign = part.firstIndex(of: "=") else { return nil }
        let name = part[..<sign].trimmingCharacters(in: .whitespaces).lowercased()
        let value = part[part.index(after: sign)...].trimmingCharacters(in: .whitespaces)
        return (name, value)
      }
  }

  /// The text of an extended value such as `UTF-8''na%C3%AFve.txt` (RFC 8187).
  private static func decoded(_ value: String) -> String? {
    let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[2].isEmpty else { return nil }
    // No other coding has to be understood, and none is used.
    guard parts[0].lowercased() == "utf-8" else { return nil }
    return String(parts[2]).removingPercentEncoding
  }
}
