import FreshetEssentials

/// The body of an upload, which can be read from any offset.
struct UploadSource: Sendable {
  private enum Storage: Sendable {
    case bytes(Data, SHA256Checksum)
    case file(OpenFile, path: String)
  }

  private let storage: Storage
  let length: Int64
  let contentType: MediaType?
  /// A text that differs for another body: of bytes their digest, of a file its ``version`` and the time at which
  /// anything about it was last changed, which nobody can set back as the time of its modification.
  let identity: String
  /// The number, length and time of modification of a file; empty for bytes.
  private let version: String

  /// Opens the body of a request, and computes the digest of bytes away from the caller's actor.
  @concurrent
  static func opening(_ request: Request) async throws(FreshetError) -> UploadSource {
    try UploadSource(request)
  }

  /// Opens the body of a request.
  init(_ request: Request) throws(FreshetError) {
    contentType = request.body?.contentType
    switch request.body?.source {
    case nil, .stream:
      throw .invalidRequest(
        "a resumable upload needs a body from data or a file; a stream, which compressed() makes of "
          + "any body, cannot be sent again",
        url: Redaction.shown(request.url)
      )
    case .bytes(let data):
      let checksum = SHA256Hasher.digest(of: data)
      storage = .bytes(data, checksum)
      length = Int64(data.count)
      identity = "sha-256 \(checksum.hex)"
      version = ""
    case .file(let url):
      do throws(FileFailure) {
        let (file, status) = try OpenFile.regular(url.path)
        storage = .file(file, path: url.path)
        length = Int64(status.st_size)
        version = Self.version(status)
        identity = "\(version) \(Self.text(status.changeTime))"
      } catch {
        throw error.error(at: url.path)
      }
    }
  }

  private static func version(_ status: stat) -> String {
    "file \(status.st_ino) \(status.st_size) \(text(status.modificationTime))"
  }

  private static func text(_ time: timespec) -> String { "\(time.tv_sec).\(time.tv_nsec)" }

  /// The name of the file; `nil` for bytes.
  var name: String? {
    if case .file(_, let path) = storage { URL(filePath: path).lastPathComponent } else { nil }
  }

  /// Returns the body of a request for a range.
  func body(_ range: Range<Int64>, contentType: MediaType?) -> RequestBody {
    guard case .file = storage else { return .bytes(bytes(range), contentType: contentType) }
    guard !range.isEmpty else { return .bytes(Data(), contentType: contentType) }
    return .stream(
      length: range.length,
      contentType: contentType,
      isReplayable: true
    ) { [self] in chunks(range) }
  }

  /// Returns a range in chunks; the last one is delivered only if the file is unchanged.
  func chunks(_ range: Range<Int64>) -> PulledChunks<Int64> {
    PulledChunks(from: range.lowerBound) { [self] offset in
      guard offset < range.upperBound else { return nil }
      let chunk = try read(offset..<min(offset + Self.chunkByteCount, range.upperBound))
      offset += Int64(chunk.count)
      if offset == range.upperBound { try requireUnchanged() }
      return chunk
    }
  }

  private static let chunkByteCount: Int64 = 256 << 10

  /// Returns the SHA-256 of the whole body, computed from the file unless the body is bytes.
  @concurrent
  func digest() async throws(FreshetError) -> SHA256Checksum {
    if case .bytes(_, let checksum) = storage { return checksum }
    let hasher = SHA256Hasher()
    var offset: Int64 = 0
    while offset < length {
      guard !Task.isCancelled else { throw .cancelled }
      let chunk = try read(offset..<min(offset + Self.chunkByteCount, length))
      hasher.update(chunk)
      offset += Int64(chunk.count)
    }
    try requireUnchanged()
    return hasher.finish()
  }

  /// Reads a range, all of it.
  ///
  /// - Throws: ``FreshetError/file(_:path:)`` if the file has changed since it was opened.
  func read(_ range: Range<Int64>) throws(FreshetError) -> Data {
    guard case .file(let file, let path) = storage else { return bytes(range) }
    let data = try FileFailure.reporting(at: path) { () throws(FileFailure) in
      try file.read(at: range.lowerBound, count: range.count)
    }
    guard data.count == range.count else {
      throw .file("it became shorter during the upload; upload it again", path: path)
    }
    return data
  }

  /// Throws if the file has changed since it was opened.
  func requireUnchanged() throws(FreshetError) {
    guard case .file(let file, let path) = storage else { return }
    let status = try FileFailure.reporting(at: path) { () throws(FileFailure) in
      try file.status()
    }
    guard Self.version(status) != version else { return }
    throw .file("it changed during the upload; upload it again", path: path)
  }

  /// The path of the file, for errors.
  var path: String {
    if case .file(_, let path) = storage { path } else { "the body of the upload" }
  }

  private func bytes(_ range: Range<Int64>) -> Data {
    guard case .bytes(let data, _) = storage else { return Data() }
    let start = data.startIndex
    return data[start + Int(range.lowerBound)..<start + Int(range.upperBound)]
  }
}

extension stat {
  #if canImport(Darwin)
  fileprivate var modificationTime: timespec { st_mtimespec }
  fileprivate var changeTime: timespec { st_ctimespec }
  #else
  fileprivate var modificationTime: timespec { st_mtim }
  fileprivate var changeTime: timespec { st_ctim }
  #endif
}
