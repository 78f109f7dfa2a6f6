package import Foundation

/// Removes a folder and ends the process of an exit test, in which no `deinit` does that.
package func exitTest(_ isRight: Bool, removing folder: URL) -> Never {
  try? FileManager.default.removeItem(at: folder)
  exit(isRight ? EXIT_SUCCESS : EXIT_FAILURE)
}
