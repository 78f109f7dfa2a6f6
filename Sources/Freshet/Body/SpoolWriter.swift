import FreshetEssentials

/// Writes the pieces of one body, to memory at first and then to a file.
///
/// Bytes that go to a file are hashed on the way if the digest will be needed, which may take as
/// long as writing them; any other body can be hashed on demand.
///
/// If a file can no longer be written, its bytes are read back, and the body is continued
/// elsewhere: in the spool's fallback, or in memory up to a limit.
///
/// Releasing it before ``finish()`` removes its file, unless it can be resumed later. It is used by
/// one task at a time.
final class SpoolWriter {
  let spool: Spool
  let expectedLength: Int64?
  /// The record with which another process can resume the body; `nil` for a body that does not
  /// outlive this process.
  private(set) var record: PartialRecord?
  /// The number of removals from the store when the body was requested, see ``PartShelf/epoch``.
  let epoch: Int?
  /// A Boolean value that indicates whether its file has no name, because the body may not be stored.
  private(set) lazy var isNameless = mayNotBeFound()
  /// A closure that is called when there is a file, which most small bodies never have.
  private let mayNotBeFound: () -> Bool
  var buffer = Data()
  var output: Output?
  /// The reason why no file can be made or continued; with it the body stays in memory.
  var refusal: FileFailure?
  private var sha512: ChecksumHasher?
  private let needsSHA256: Bool
  private let now: (@Sendable () -> Date)?

  private(set) var length: Int64 = 0
  /// The SHA-512 after ``finish()``, if it was requested.
  private(set) var sha512Digest: Data?

  struct Output {
    let file: OpenFile
    var url: URL
    /// The hasher; `nil` if the digest will not be needed.
    var hasher: SHA256Hasher?
    /// The number of bytes that were written and hashed.
    var written: Int64 = 0
    var partial: PartialFile?
    /// The folder of the file.
    var directory: URL?
  }

  /// Starts a body.
  ///
  /// - Parameters:
  ///   - spool: The spool for a body that is larger than its threshold.
  ///   - expectedLength: The announced length, if any; a different one is not an error here.
  ///   - record: The record that makes it resumable by another process, if it goes to a file.
  ///   - epoch: The number of removals from the store when the body was requested: after another
  ///     one it is not resumable. `nil` by default, which is not compared.
  ///   - isNameless: A Boolean value that indicates whether its file has no name; evaluated once
  ///     there is a file. `false` by default.
  ///   - needsSHA256: A Boolean value that indicates whether that digest is needed; that of a
  ///     resumable body always is. `false` by default.
  ///   - needsSHA512: A Boolean value that indicates whether that digest is needed as well; `false`
  ///     by default.
  ///   - now: The clock for the checkpoints of a resumable body; without one, the default, they depend on its
  ///     bytes only.
  /// - Throws: ``FreshetError/file(_:path:)`` if neither a file system nor the memory has room for
  ///   the announced length.
  init(
    _ spool: Spool,
    expectedLength: Int64? = nil,
    record: PartialRecord? = nil,
    since epoch: Int? = nil,
    isNameless: @escaping @autoclosure () -> Bool = false,
    needsSHA256: Bool = false,
    needsSHA512: Bool = false,
    now: (@Sendable () -> Date)? = nil
  ) throws(FreshetError) {
    self.spool = spool
    self.expectedLength = expectedLength
    self.record = record
    self.epoch = epoch
    mayNotBeFound = isNameless
    self.needsSHA256 = needsSHA256 || spool.partials != nil
    sha512 = needsSHA512 ? ChecksumHasher(.sha512) : nil
    self.now = now
    if let expectedLength, expectedLength > Int64(spool.threshold) {
      try begin()
    }
  }

  /// Continues a body that another transfer has begun.
  ///
  /// - Throws: ``FreshetError/file(_:path:)`` if there is no room for the rest.
  init(
    _ spool: Spool,
    _ partial: PartialBody,
    in file: PartialFile,
    now: (@Sendable () -> Date)? = nil
  ) throws(FreshetError) {
    self.spool = spool
    self.now = now
    expectedLength = partial.record.total
    record = partial.record
    epoch = nil
    mayNotBeFound = { false }
    needsSHA256 = true
    length = partial.length
    sha512 = partial.sha512
    output = Output(
      file: file.file,
      url: file.url,
      hasher: partial.sha256,
      written: partial.length,
      partial: file
    )
    do throws(FileFailure) {
      try FreeSpace.check(file.file, for: (expectedLength ?? 0) - length)
    } catch {
      try goOnElsewhere(after: error)
    }
  }

  deinit {
    guard let output else { return }
    if let partial = output.partial, let hasher = output.hasher {
      partial.rest(length, hasher)
    } else {
      remove(output)
    }
  }

  /// Writes the next piece.
  ///
  /// - Throws: ``FreshetError/file(_:path:)`` if it cannot be written anywhere, such as on a full
  ///   disk. The writer cannot be used afterwards.
  func append(_ data: Data) throws(FreshetError) {
    sha512?.update(data)
    if output == nil, refusal != nil || length + Int64(data.count) <= Int64(spool.threshold) {
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
  /// - Returns: The body, in a temporary file if it is larger than the threshold, and its digest;
  ///   `nil` for a body that can be hashed on demand.
  /// - Throws: ``FreshetError/file(_:path:)`` if its file is shorter than the bytes that were written.
  func finish() throws(FreshetError) -> (body: ResourceBody, digest: SHA256Checksum?) {
    sha512Digest = sha512?.finish()
    if let output {
      guard let size = try? output.file.status().st_size, Int64(size) >= length else {
        throw .file("it is now shorter than \(length) bytes", path: output.url.path)
      }
      // If it cannot be moved, it stays, and if its folder was removed, it is still open.
      try? moveOut()
    }
    guard let output = output.take() else { return (ResourceBody(buffer), nil) }
    let file = BodyFile(
      output.file,
      url: output.url,
      length: length,
      isTemporary: true,
      isNameless: isNameless,
      folder: spool.folder
    )
    return (ResourceBody(file), output.hasher?.finish())
  }

  /// Takes the name of the body's file, because it may not be stored, and its record: nobody else can resume it.
  func becomeNameless() {
    record = nil
    if let output { remove(output) }
    output?.partial = nil
    isNameless = true
  }

  /// Drops all bytes; the writer cannot be used afterwards.
  func discard() {
    if let output { remove(output) }
    output = nil
    buffer = Data()
  }

  /// Removes the file of an output, and its record.
  func remove(_ output: Output) {
    if let partial = output.partial {
      partial.discard()
    } else if !isNameless {
      unlink(output.url.path)
    }
  }
}

// MARK: - Memory and file

extension SpoolWriter {
  private func gather(_ data: Data) throws(FreshetError) {
    if let refusal, length + Int64(data.count) > spool.memoryLimit {
      throw refusal.error(at: spool.directory.path)
    }
    length += Int64(data.count)
    if buffer.isEmpty {
      // Most small bodies come in one piece, which is not copied.
      buffer = data
      return
    }
    if let expectedLength, buffer.count + data.count < Int(expectedLength) {
      // An announced length is only a claim.
      buffer.reserveCapacity(min(Int(expectedLength), 64 << 20))
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

  /// Writes a checkpoint; a body that has become too long to be resumed becomes an ordinary file.
  private func note() {
    guard let partial = output?.partial, let hasher = output?.hasher else { return }
    if partial.isTooLong(length) {
      try? moveOut()
    } else {
      partial.note(length, hasher, at: now?())
    }
  }

  /// Moves a resumable body to the spool's directory, where it is an ordinary file.
  private func moveOut() throws(FileFailure) {
    guard let partial = output?.partial else { return }
    let isArrival = spool.folder != nil
    try PrivateDirectory.make(spool.directory.path, mayBeAsItsParent: isArrival)
    let url = SpoolFile.place(in: spool.directory)
    try partial.release(to: url)
    output?.url = url
    output?.directory = spool.directory
    output?.partial = nil
  }
}
