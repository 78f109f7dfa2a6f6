public import FreshetEssentials

/// The bytes of a resource, in memory or in an open file.
///
/// A body in a file stays readable as long as the value lives, even if its store removes the file.
public struct ResourceBody: Sendable {
  enum Storage: Sendable {
    case bytes(Data)
    case file(BodyFile)
    /// Some of a file's bytes, which are not verified by themselves.
    case part(BodyFile, Range<Int64>)
  }

  let storage: Storage

  /// Makes a body of bytes.
  public init(_ data: Data) {
    storage = .bytes(data)
  }

  init(_ file: BodyFile) {
    storage = .file(file)
  }

  private init(_ storage: Storage) {
    self.storage = storage
  }

  /// Returns some of the bytes, at positions within the length; those of a file are not read yet.
  func part(_ positions: Range<Int64>) -> ResourceBody {
    switch storage {
    case .bytes(let data):
      let start = data.startIndex + Int(positions.lowerBound)
      return ResourceBody(data.subdata(in: start..<start + positions.count))
    case .file(let file):
      return ResourceBody(.part(file, positions))
    case .part(let file, let range):
      let start = range.lowerBound + positions.lowerBound
      return ResourceBody(.part(file, start..<start + positions.length))
    }
  }

  /// The length in bytes.
  public var length: Int64 {
    switch storage {
    case .bytes(let data): Int64(data.count)
    case .file(let file): file.length
    case .part(_, let range): range.length
    }
  }

  /// The URL of the file, or `nil` for a body in memory, a part of a file, or a file without a
  /// name, such as that of a response that may not be stored.
  ///
  /// A store may remove the file later; ``write(to:)`` makes a permanent copy.
  public var fileURL: URL? {
    switch storage {
    case .bytes, .part: nil
    case .file(let file): file.isNameless ? nil : file.url
    }
  }

  /// Returns the whole body in memory.
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
    case .part(let file, let range):
      return try file.read(at: range.lowerBound, count: range.count)
    }
  }
}
