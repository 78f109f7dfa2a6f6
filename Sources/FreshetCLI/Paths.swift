import Foundation
import Freshet

enum Paths {
  static func isDirectory(_ url: URL) -> Bool {
    var isDirectory: ObjCBool = false
    return FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory)
      && isDirectory.boolValue
  }

  /// Returns the reason why a directory cannot be read as a store, or `nil` if it has one's database.
  static func obstacle(toReading store: URL) -> String? {
    guard access(store.appending(path: "index.sqlite").path, F_OK) != 0 else { return nil }
    return switch errno {
    case ENOENT, ENOTDIR: "there is no store at \(store.path)"
    case let code: "the store at \(store.path) cannot be read: \(String(cString: strerror(code)))"
    }
  }

  /// Returns a store to read; if there is none, reports that and returns `nil`, because opening it
  /// would create one.
  static func storeToRead(_ url: URL, _ verbosity: Verbosity = .usual) -> DiskStore? {
    guard let problem = obstacle(toReading: url) else { return DiskStore(directory: url) }
    verbosity.error(Printable.line(problem))
    return nil
  }
}
