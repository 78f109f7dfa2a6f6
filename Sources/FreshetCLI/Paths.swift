import Foundation
import Freshet

/// Checks of paths.
enum Paths {
  static func isDirectory(_ url: URL) -> Bool {
    var isDirectory: ObjCBool = false
    return FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory)
      && isDirectory.boolValue
  }

  /// Returns a store to read; if there is none, reports that and returns `nil`, because opening it
  /// would create one.
  static func storeToRead(_ url: URL, _ verbosity: Verbosity = .usual) -> DiskStore? {
    if isDirectory(url) { return DiskStore(directory: url) }
    verbosity.error(Printable.line("there is no store at \(url.path)"))
    return nil
  }
}
