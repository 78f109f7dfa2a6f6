public import Foundation

/// The bytes of a resource, in memory or in a file that is held open.
///
/// A body in a file stays readable as long as the value lives, even if its store removes the file.
public struct ResourceBody: Sendable {
  enum Storage: Sendable {
    case bytes(Data)
    case file(BodyFile)
  }

  let storage: Storage

  /// Makes a body of bytes.
  public init(_ data: Data) {
    storage = .bytes(data)
  }

  init(_ file: BodyFile) {
    storage = .file(file)
  }

  /// The length in bytes.
  public var length: Int64 {
    switch storage {
    case .bytes(let data): Int64(data.count)
    case .file(let file): file.length
    }
  }

  /// Where the file is, or `nil` for a body in memory.
  ///
  /// A store may remove the file later; ``write(to:)`` makes a copy to keep.
  public var fileURL: URL? {
    switch storage {
    case .bytes: nil
    case .file(let file): file.url
    }
  }

  /// The whole body in memory.
  ///
  /// - Parameter limit: The largest size that is read, in bytes; 64 MiB by default.
  /// - Returns: The bytes.
  /// - Throws: ``FreshetError/limitExceeded(_:url:)`` if the body is larger,
  ///   ``FreshetError/file(_:path:)`` if reading fails.
  public func data(limit: Int = 64 << 20) throws(FreshetError) -> Data {
    guard length <= limit else {
      throw .limitExceeded(.bodyBytes(Int64(limit)), url: fileURL?.path ?? "memory")
    }
    switch storage {
    case .bytes(let data): return data
    case .file(let file): return try file.read()
    }
  }
}
