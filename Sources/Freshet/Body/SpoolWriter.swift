import Foundation

/// Takes the pieces of one body, in memory at first and then in a file, and hashes them.
///
/// Dropping it before ``finish()`` removes its file, unless it can be resumed later. It is used by one
/// task at a time.
final class SpoolWriter {
  private let spool: Spool
  private let expectedLength: Int64?
  /// What another process must know to go on; `nil` for a body that does not outlive this one.
  private let record: PartialRecord?
  private var buffer = Data()
  private var output: Output?
  private var sha512: DigestHasher?

  private(set) var length: Int64 = 0
  /// The SHA-512 after ``finish()``, if it was wanted.
  private(set) var sha512Digest: Data?

  private struct Output {
    let file: OpenFile
    let url: URL
    var hasher = SHA256Hasher()
    var partial: PartialFile?
  }

  /// Starts a body.
  ///
  /// - Parameters:
  ///   - spool: Where the body goes once it is larger than the spool's threshold.
  ///   - expectedLength: The length that was announced, if any; another one is not an error here.
  ///   - record: What makes it resumable by another process, if it goes to a file.
  ///   - needsSHA512: Whether that digest is wanted as well.
  /// - Throws: ``FreshetError/file(_:path:)`` if a large body is announced and the file cannot be
  ///   made or the file system has no room for it.
  init(
    _ spool: Spool,
    expectedLength: Int64? = nil,
    record: PartialRecord? = nil,
    needsSHA512: Bool = false
  ) throws(FreshetError) {
    self.spool = spool
    self.expectedLength = expectedLength
    self.record = record
    sha512 = needsSHA512 ? DigestHasher(.sha512) : nil
    if let expectedLength, expectedLength > Int64(spool.threshold) {
      try begin()
    }
  }

  /// Goes on with a body that another transfer has begun.
  init(_ spool: Spool, _ partial: PartialBody) {
    self.spool = spool
    expectedLength = partial.record.total
    record = partial.record
    length = partial.length
    sha512 = partial.hashes.sha512
    output = Output(
      file: partial.file.file,
      url: partial.file.url,
      hasher: partial.hashes.sha256,
      partial: partial.file
    )
  }

  deinit {
    guard let output else { return }
    if let partial = output.partial {
      partial.checkpoint(length, output.hasher)
    } else {
      unlink(output.url.path)
    }
  }

  /// Takes the next piece.
  ///
  /// - Throws: ``FreshetError/file(_:path:)`` if it cannot be written, such as on a full disk. The
  ///   writer is of no use then.
  func append(_ data: Data) throws(FreshetError) {
    sha512?.update(data)
    if output == nil, length + Int64(data.count) <= Int64(spool.threshold) {
      length += Int64(data.count)
      gather(data)
      return
    }
    if output == nil {
      try begin()
      try write(buffer)
      buffer = Data()
    }
    try write(data)
    length += Int64(data.count)
    if let output { output.partial?.note(length, output.hasher) }
  }

  /// Ends the body.
  ///
  /// - Returns: The body, in a temporary file if it is larger than the threshold, and its digest.
  /// - Throws: ``FreshetError/file(_:path:)`` if the file cannot be written.
  func finish() throws(FreshetError) -> (body: ResourceBody, digest: SHA256Digest) {
    sha512Digest = sha512?.finish()
    guard let output else {
      return (ResourceBody(buffer), SHA256Hasher.digest(of: buffer))
    }
    let url = try place(of: output)
    self.output = nil
    let file = BodyFile(output.file, url: url, length: length, isTemporary: true)
    return (ResourceBody(file), output.hasher.finish())
  }

  /// Forgets what has arrived; the writer is of no use then.
  func discard() {
    if let output {
      output.partial?.discard()
      unlink(output.url.path)
    }
    output = nil
    buffer = Data()
  }
}

// MARK: - Memory and file

extension SpoolWriter {
  private func gather(_ data: Data) {
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

  private func begin() throws(FreshetError) {
    if let output = openPartial() {
      self.output = output
      return
    }
    do throws(FreshetError) {
      output = try open(in: spool.directory)
    } catch {
      guard let fallback = spool.fallback, fallback != spool.directory else { throw error }
      output = try open(in: fallback)
    }
  }

  /// A file that outlives this process; if it cannot be had, an ordinary one will do.
  private func openPartial() -> Output? {
    guard let record, let folder = spool.partials else { return nil }
    do throws(FileFailure) {
      guard let partial = try folder.begin(record) else { return nil }
      do throws(FileFailure) {
        try FreeSpace.check(partial.file, for: expectedLength ?? 0)
      } catch {
        partial.discard()
        throw error
      }
      return Output(file: partial.file, url: partial.url, partial: partial)
    } catch {
      return nil
    }
  }

  private func open(in directory: URL) throws(FreshetError) -> Output {
    do throws(FileFailure) {
      let (file, url) = try SpoolFile.make(in: directory)
      let output = Output(file: file, url: url)
      do throws(FileFailure) {
        try FreeSpace.check(file, for: expectedLength ?? 0)
      } catch {
        unlink(url.path)
        throw error
      }
      return output
    } catch {
      throw error.error(at: directory.path)
    }
  }

  private func write(_ data: Data) throws(FreshetError) {
    guard let output, !data.isEmpty else { return }
    do throws(FileFailure) {
      try output.file.write(data)
    } catch {
      throw error.error(at: output.url.path)
    }
    output.hasher.update(data)
  }

  /// Where the finished body is: a resumable one moves to where others arrive.
  private func place(of output: Output) throws(FreshetError) -> URL {
    guard let partial = output.partial else { return output.url }
    do throws(FileFailure) {
      try PrivateDirectory.make(spool.directory.path)
      let url = SpoolFile.place(in: spool.directory)
      try partial.release(to: url)
      return url
    } catch {
      throw error.error(at: output.url.path)
    }
  }
}
