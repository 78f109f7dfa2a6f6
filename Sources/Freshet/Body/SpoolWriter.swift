import Foundation

/// Takes the pieces of one body, in memory at first and then in a file, and hashes them.
///
/// Dropping it before ``finish()`` removes its file. It is used by one task at a time.
final class SpoolWriter {
  private let spool: Spool
  private let expectedLength: Int64?
  private var buffer = Data()
  private var output: Output?

  private(set) var length: Int64 = 0

  private struct Output {
    let file: OpenFile
    let url: URL
    let hasher = SHA256Hasher()
  }

  /// Starts a body.
  ///
  /// - Parameters:
  ///   - spool: Where the body goes once it is larger than the spool's threshold.
  ///   - expectedLength: The length that was announced, if any; another one is not an error here.
  /// - Throws: ``FreshetError/file(_:path:)`` if a large body is announced and the file cannot be
  ///   made or the file system has no room for it.
  init(_ spool: Spool, expectedLength: Int64? = nil) throws(FreshetError) {
    self.spool = spool
    self.expectedLength = expectedLength
    if let expectedLength, expectedLength > Int64(spool.threshold) {
      try begin()
    }
  }

  deinit {
    if let output { unlink(output.url.path) }
  }

  /// Takes the next piece.
  ///
  /// - Throws: ``FreshetError/file(_:path:)`` if it cannot be written, such as on a full disk. The
  ///   writer is of no use then.
  func append(_ data: Data) throws(FreshetError) {
    length += Int64(data.count)
    if output == nil, length <= Int64(spool.threshold) {
      gather(data)
      return
    }
    if output == nil {
      try begin()
      try write(buffer)
      buffer = Data()
    }
    try write(data)
  }

  /// Ends the body.
  ///
  /// - Returns: The body, in a temporary file if it is larger than the threshold, and its digest.
  /// - Throws: ``FreshetError/file(_:path:)`` if the file cannot be written.
  func finish() throws(FreshetError) -> (body: ResourceBody, digest: SHA256Digest) {
    guard let output else {
      return (ResourceBody(buffer), SHA256Hasher.digest(of: buffer))
    }
    self.output = nil
    let file = BodyFile(output.file, url: output.url, length: length, isTemporary: true)
    return (ResourceBody(file), output.hasher.finish())
  }

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
    do throws(FreshetError) {
      output = try open(in: spool.directory)
    } catch {
      guard let fallback = spool.fallback, fallback != spool.directory else { throw error }
      output = try open(in: fallback)
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
}
