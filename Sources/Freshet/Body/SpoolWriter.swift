import Foundation

/// Takes the pieces of one body, in memory at first and then in a file.
///
/// What goes to a file is hashed on the way where the digest is going to be asked for, which may take
/// as long as writing it does; any other body can be hashed when somebody asks.
///
/// Where a file cannot be written any more, what it holds is read back, and the body goes on elsewhere:
/// in the spool's fallback, or in memory up to a limit.
///
/// Dropping it before ``finish()`` removes its file, unless it can be resumed later. It is used by one
/// task at a time.
final class SpoolWriter {
  let spool: Spool
  let expectedLength: Int64?
  /// What another process must know to go on; `nil` for a body that does not outlive this one.
  let record: PartialRecord?
  /// Whether its file has no name, because the body may not be stored.
  private(set) lazy var isNameless = mayNotBeFound()
  /// Asked when there is a file, which most small bodies never have.
  private let mayNotBeFound: () -> Bool
  var buffer = Data()
  var output: Output?
  /// Whether it stays in memory, because no file can be had.
  var isInMemory = false
  private var sha512: DigestHasher?
  private let needsSHA256: Bool

  private(set) var length: Int64 = 0
  /// The SHA-512 after ``finish()``, if it was wanted.
  private(set) var sha512Digest: Data?

  struct Output {
    let file: OpenFile
    var url: URL
    /// `nil` where nobody is going to ask for the digest.
    var hasher: SHA256Hasher?
    /// How much has been written, and is in the hash.
    var written: Int64 = 0
    var partial: PartialFile?
    /// The folder of the file.
    var directory: URL?
  }

  /// Starts a body.
  ///
  /// - Parameters:
  ///   - spool: Where the body goes once it is larger than the spool's threshold.
  ///   - expectedLength: The length that was announced, if any; another one is not an error here.
  ///   - record: What makes it resumable by another process, if it goes to a file.
  ///   - isNameless: Whether nobody else may be able to open its file; asked once it has one.
  ///   - needsSHA256: Whether that digest is wanted; that of what can be resumed always is.
  ///   - needsSHA512: Whether that digest is wanted as well.
  /// - Throws: ``FreshetError/file(_:path:)`` if a body is announced for which neither a file system
  ///   nor the memory has room.
  init(
    _ spool: Spool,
    expectedLength: Int64? = nil,
    record: PartialRecord? = nil,
    isNameless: @escaping @autoclosure () -> Bool = false,
    needsSHA256: Bool = false,
    needsSHA512: Bool = false
  ) throws(FreshetError) {
    self.spool = spool
    self.expectedLength = expectedLength
    self.record = record
    mayNotBeFound = isNameless
    self.needsSHA256 = needsSHA256 || spool.partials != nil
    sha512 = needsSHA512 ? DigestHasher(.sha512) : nil
    if let expectedLength, expectedLength > Int64(spool.threshold) {
      try begin()
    }
  }

  /// Goes on with a body that another transfer has begun.
  ///
  /// - Throws: ``FreshetError/file(_:path:)`` if there is no room for the rest.
  init(_ spool: Spool, _ partial: PartialBody) throws(FreshetError) {
    self.spool = spool
    expectedLength = partial.record.total
    record = partial.record
    mayNotBeFound = { false }
    needsSHA256 = true
    length = partial.length
    sha512 = partial.hashes.sha512
    output = Output(
      file: partial.file.file,
      url: partial.file.url,
      hasher: partial.hashes.sha256,
      written: partial.length,
      partial: partial.file
    )
    do throws(FileFailure) {
      try FreeSpace.check(partial.file.file, for: (expectedLength ?? 0) - length)
    } catch {
      try goOnElsewhere(after: error)
    }
  }

  deinit {
    guard let output else { return }
    if let partial = output.partial {
      if let hasher = output.hasher { partial.rest(length, hasher) }
    } else if !isNameless {
      unlink(output.url.path)
    }
  }

  /// Takes the next piece.
  ///
  /// - Throws: ``FreshetError/file(_:path:)`` if it cannot be written anywhere, such as on a full disk.
  ///   The writer is of no use then.
  func append(_ data: Data) throws(FreshetError) {
    sha512?.update(data)
    if output == nil, isInMemory || length + Int64(data.count) <= Int64(spool.threshold) {
      try gather(data)
      return
    }
    if output == nil {
      try begin()
      let gathered = buffer
      buffer = Data()
      try write(gathered)
    }
    try write(data)
    length += Int64(data.count)
    note()
  }

  /// Ends the body.
  ///
  /// - Returns: The body, in a temporary file if it is larger than the threshold, and the digest of
  ///   what was written; `nil` for a body that can be hashed when that is wanted.
  /// - Throws: ``FreshetError/file(_:path:)`` if its file is no longer as long as what was written.
  func finish() throws(FreshetError) -> (body: ResourceBody, digest: SHA256Digest?) {
    sha512Digest = sha512?.finish()
    guard let output else {
      return (ResourceBody(buffer), nil)
    }
    guard let size = try? output.file.status().st_size, Int64(size) >= length else {
      throw .file("it has become shorter than \(length) bytes", path: output.url.path)
    }
    let url = place(of: output)
    self.output = nil
    let file = BodyFile(
      output.file,
      url: url,
      length: length,
      isTemporary: true,
      isNameless: isNameless
    )
    return (ResourceBody(file), output.hasher?.finish())
  }

  /// Forgets what has arrived; the writer is of no use then.
  func discard() {
    if let output {
      output.partial?.discard()
      if !isNameless { unlink(output.url.path) }
    }
    output = nil
    buffer = Data()
  }
}

// MARK: - Memory and file

extension SpoolWriter {
  private func gather(_ data: Data) throws(FreshetError) {
    guard !isInMemory || length + Int64(data.count) <= spool.memoryLimit else {
      throw .file("there is neither a file nor enough memory for it", path: spool.directory.path)
    }
    length += Int64(data.count)
    if buffer.isEmpty {
      // Most small bodies come in one piece, which is not copied.
      buffer = data
      return
    }
    if let expectedLength, buffer.count + data.count < Int(expectedLength) {
      buffer.reserveCapacity(Int(expectedLength))
    }
    buffer.append(data)
  }

  /// Writes a piece, whose length is not counted yet.
  private func write(_ data: Data) throws(FreshetError) {
    guard !data.isEmpty else { return }
    guard let output else {
      buffer.append(data)
      return
    }
    do throws(FileFailure) {
      try output.file.write(data)
      output.hasher?.update(data)
      self.output?.written += Int64(data.count)
    } catch {
      try goOnElsewhere(after: error)
      try write(data)
    }
  }

  func newHasher() -> SHA256Hasher? { needsSHA256 ? SHA256Hasher() : nil }

  /// Notes what has arrived, of a body that is not too long to be resumed.
  private func note() {
    guard let partial = output?.partial, let hasher = output?.hasher else { return }
    guard partial.isTooLong(length) else { return partial.note(length, hasher) }
    let url = SpoolFile.place(in: spool.directory)
    if (try? PrivateDirectory.make(spool.directory.path)) != nil,
      (try? partial.release(to: url)) != nil
    {
      output?.url = url
      output?.directory = spool.directory
      output?.partial = nil
    }
  }

  /// Where the finished body is: a resumable one moves to where others arrive.
  ///
  /// One that cannot move stays, and one whose folder has vanished is still open.
  private func place(of output: Output) -> URL {
    guard let partial = output.partial else { return output.url }
    do throws(FileFailure) {
      try PrivateDirectory.make(spool.directory.path)
      let url = SpoolFile.place(in: spool.directory)
      try partial.release(to: url)
      return url
    } catch {
      return output.url
    }
  }
}
