import Foundation
import Freshet

/// Names of files for what comes from elsewhere.
///
/// Whatever a URL or a server says, a name is one component of a path: it leads to no other folder, is
/// not hidden, and has no characters that a terminal would act on.
enum FileName {
  /// The longest name that common file systems take, in bytes.
  static let byteLimit = 255

  /// The name that a URL ends with; `index.html` where it ends with a slash.
  static func of(_ url: URL) -> String {
    let path = url.path(percentEncoded: true)
    let last = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    let text = String(last)
    return safe(text.removingPercentEncoding ?? text) ?? "index.html"
  }

  /// Makes text from elsewhere the name of a file; `nil` if nothing is left of it.
  static func safe(_ text: String) -> String? {
    // Of what is a path to some system, the end is the name.
    let last = text.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }.last ?? ""
    var scalars = String.UnicodeScalarView()
    for scalar in last.unicodeScalars { scalars.append(isPlain(scalar) ? scalar : "_") }
    var name = String(scalars).trimmingCharacters(in: .whitespaces)
    guard name.contains(where: { $0 != "." && $0 != "_" }) else { return nil }
    name = shortened(name, by: 0)
    // By bytes: a full stop and an accent are one character, which is no full stop.
    if name.utf8.first == UInt8(ascii: ".") {
      name = "_" + String(String.UnicodeScalarView(name.unicodeScalars.dropFirst()))
    }
    return name
  }

  /// The name with a number, as `report-2.pdf`.
  static func numbered(_ name: String, _ number: Int) -> String {
    let mark = "-\(number)"
    let (stem, suffix) = parts(shortened(name, by: mark.utf8.count))
    return stem + mark + suffix
  }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
    // One more slash, to a file system that has another idea of it.
    default: scalar != "/" && scalar != ":" && scalar != "\u{2215}" && scalar != "\u{2044}"
    }
  }

  private static func shortened(_ name: String, by room: Int) -> String {
    guard name.utf8.count > byteLimit - room else { return name }
    var (stem, suffix) = parts(name)
    if suffix.utf8.count > 32 { (stem, suffix) = (name, "") }
    return SuggestedName.prefix(of: stem, byteLimit - room - suffix.utf8.count) + suffix
  }

  /// Returns the part of a name before its last full stop, and the rest.
  private static func parts(_ name: String) -> (stem: String, suffix: String) {
    guard let stop = name.lastIndex(of: "."), stop != name.startIndex else { return (name, "") }
    return (String(name[..<stop]), String(name[stop...]))
  }
}
