import Foundation
import Freshet

/// What is asked of paths.
enum Paths {
  static func isDirectory(_ url: URL) -> Bool {
    var isDirectory: ObjCBool = false
    return FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory)
      && isDirectory.boolValue
  }

  /// A store to look into: none, which is said, where there is none; opening it would make one.
  static func storeToRead(_ url: URL) -> DiskStore? {
    if isDirectory(url) { return DiskStore(directory: url) }
    Console.error(Printable.line("freshet: there is no store at \(url.path)"))
    return nil
  }
}
