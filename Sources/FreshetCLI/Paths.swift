import Foundation
import Freshet

enum Paths {
  static func isDirectory(_ url: URL) -> Bool {
    var isDirectory: ObjCBool = false
    return FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory)
      && isDirectory.boolValue
  }

  static func isStore(_ url: URL) -> Bool {
    FileManager.default.fileExists(atPath: url.appending(path: "index.sqlite").path)
  }

  /// Returns a store to read; if there is none, reports that and returns `nil`, because opening it
  /// would create one.
  static func storeToRead(_ url: URL, _ verbosity: Verbosity = .usual) -> DiskStore? {
    if isStore(url) { return DiskStore(directory: url) }
    verbosity.error(Printable.line("there is no store at \(url.path)"))
    return nil
  }
}
