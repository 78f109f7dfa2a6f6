import Freshet

#if Redis && !canImport(Darwin)
import FreshetRedis
#endif

/// The server of the options `--shared` and `--shared-prefix`, with the store that processes share.
///
/// It exists in a tool that was built with the trait `Redis`. No text of it contains the URL, which may have
/// a password.
enum SharedServer {
  /// Returns the store that the values of the two options name; nothing is connected yet.
  ///
  /// - Parameters:
  ///   - url: The server's URL.
  ///   - prefix: The beginning of the names of its keys; that of the library if it is `nil`.
  /// - Returns: The store; `nil` if none was given.
  /// - Throws: `UsageError` if a value is not valid, or the tool was built without the trait.
  static func store(
    _ url: String?,
    prefix: String?
  ) throws(UsageError) -> (any ServerStore)? {
    guard let url else {
      guard prefix == nil else { throw UsageError("--shared-prefix needs --shared") }
      return nil
    }
    guard prefix != "" else { throw UsageError("--shared-prefix takes a text that is not empty") }
    return try store(at: url, prefix)
  }

  private static func store(
    at url: String,
    _ prefix: String?
  ) throws(UsageError) -> any ServerStore {
    #if Redis && !canImport(Darwin)
    do throws(FreshetError) {
      return try SharedStore(url) {
        // A person waits, and the server may be far away.
        $0.timeout = .seconds(1)
        $0.connectTimeout = .seconds(5)
        if let prefix { $0.prefix = prefix }
      }
    } catch {
      throw UsageError("--shared takes redis://HOST, rediss://HOST or unix:///PATH: \(error)")
    }
    #elseif canImport(Darwin)
    throw UsageError("--shared is available on Linux")
    #else
    throw UsageError(
      "--shared needs a tool that was built with 'swift build --traits Redis', and libhiredis-dev"
    )
    #endif
  }
}
