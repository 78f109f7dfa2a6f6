import Freshet

#if Redis && !canImport(Darwin)
import FreshetRedis
#endif

/// The store that processes share, of the options `--shared` and `--shared-prefix`.
///
/// It exists in a tool that was built with the trait `Redis`. No text of it contains the URL, which may have
/// a password.
struct SharedServer: Sendable {
  #if Redis && !canImport(Darwin)
  private let opened: SharedStore
  #endif

  /// Makes a store; nothing is connected yet.
  ///
  /// - Parameters:
  ///   - url: The server's URL.
  ///   - prefix: The beginning of the names of its keys; that of the library if it is `nil`.
  /// - Throws: `UsageError` if the URL is not valid, or the tool was built without the trait.
  init(_ url: String, prefix: String?) throws(UsageError) {
    #if Redis && !canImport(Darwin)
    do throws(FreshetError) {
      opened = try SharedStore(url) {
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

  /// Returns the store that the values of the two options name; `nil` if none was given.
  static func named(_ url: String?, _ prefix: String?) throws(UsageError) -> SharedServer? {
    guard let url else {
      guard prefix == nil else { throw UsageError("--shared-prefix needs --shared") }
      return nil
    }
    guard prefix != "" else { throw UsageError("--shared-prefix takes a text that is not empty") }
    return try SharedServer(url, prefix: prefix)
  }

  /// The store, for a client, and to be examined.
  var store: (any SharedResourceStore & ExaminedStore)? {
    #if Redis && !canImport(Darwin)
    opened
    #else
    nil
    #endif
  }

  /// Connects, and waits for the server's response.
  func connect() async throws(FreshetError) {
    #if Redis && !canImport(Darwin)
    try await opened.connect()
    #endif
  }

  func close() async {
    #if Redis && !canImport(Darwin)
    await opened.close()
    #endif
  }
}
