public import Freshet
public import FreshetEssentials

/// A directory that is removed with its contents when its last reference is released.
///
/// The compiler may end the lifetime of a local variable after its last use, although a URL made
/// from it is still in use: keep the directory in a property of the suite, or use ``scope(_:)``.
///
/// ```swift
/// try await TemporaryDirectory.scope { directory in
///   let store = DiskStore(directory: directory.url)
/// }
/// ```
public final class TemporaryDirectory: Sendable {
  /// The URL of the directory.
  public let url: URL

  /// Makes an empty directory with a new name below the system's temporary directory.
  ///
  /// - Throws: ``/Freshet/FreshetError/file(_:path:)`` if it cannot be made.
  public init() throws(FreshetError) {
    url = FileManager.default.temporaryDirectory
      .appending(path: "freshet-\(UUID().uuidString)", directoryHint: .isDirectory)
    do throws(FileFailure) {
      try Directory.make(url.path)
    } catch {
      throw .file(error.reason, path: url.path)
    }
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  /// Returns the URL of a file in the directory; nothing is created.
  public func file(_ name: String) -> URL {
    url.appending(path: name, directoryHint: .notDirectory)
  }

  /// Makes a directory that exists exactly while `body` runs.
  ///
  /// - Parameter body: A closure that uses the directory.
  /// - Returns: The result of `body`.
  /// - Throws: ``/Freshet/FreshetError/file(_:path:)`` if it cannot be made, and the errors of `body`.
  public static func scope<Value>(
    _ body: (TemporaryDirectory) async throws -> Value
  ) async throws -> Value {
    let directory = try TemporaryDirectory()
    let value = try await body(directory)
    withExtendedLifetime(directory) {}
    return value
  }
}
