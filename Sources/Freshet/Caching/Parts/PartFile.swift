import FreshetEssentials
import Synchronization

/// The stored bytes of one version of a body: a sparse file, and the log of its segments.
///
/// Several processes may add to it: a strong validator guarantees that they write the same bytes to
/// the same places, and the lines of the log are appended whole. Bytes that are written to a
/// version that has been removed or replaced are lost.
///
/// It does not hold its shelf, which holds it.
final class PartFile: Sendable {
  /// The name of the file of the bytes.
  let fileName: String
  let total: Int64
  let validator: StrongValidator
  /// A Boolean value that indicates whether notes wait for the device.
  let survivesPower: Bool
  private let logPath: String
  private let bodyPath: String
  private let file: OpenFile
  private let log: OpenFile
  private let state: Mutex<State>

  private struct State {
    var whole: PartialRecord
    var head: ResponseHead
    var segments = PartSegments() {
      didSet { digest = nil }
    }
    /// The digest of the whole, once all of it has been read with these segments.
    var digest: SHA256Checksum?
    /// The number of bytes of the log that have been read.
    var read: Int64
    /// The size of the log from which on it is worth to begin it again.
    var longLog: Int64 = .max
    /// The time of the confirmation that was recorded last.
    var recorded: Double
  }

  /// The size up to which a log is never begun again, in bytes.
  static let logLimit: Int64 = 4 << 20

  init?(
    _ record: PartRecord,
    _ file: OpenFile,
    _ log: OpenFile,
    read: Int64,
    name: String,
    on shelf: PartShelf
  ) {
    guard let head = record.whole.head, let total = record.whole.total,
      let validator = StrongValidator(head, receivedAt: record.whole.received)
    else { return nil }
    fileName = record.file
    self.total = total
    self.validator = validator
    survivesPower = shelf.survivesPower
    logPath = shelf.log(name)
    bodyPath = shelf.body(record.file)
    self.file = file
    self.log = log
    state = Mutex(
      State(whole: record.whole, head: head, read: read, recorded: record.whole.responseTime)
    )
    catchUp()
    state.withLock { $0.longLog = max(Self.logLimit, $0.read * 2) }
  }

  /// The record of the whole, as the origin confirmed it last.
  var whole: PartialRecord { state.withLock { $0.whole } }
  var head: ResponseHead { state.withLock { $0.head } }

  /// A Boolean value that indicates whether its log is still the one with its name.
  var isCurrent: Bool { log.isStill(at: logPath) }

  /// A Boolean value that indicates whether its log has grown so much that it is worth to open it
  /// again, which shortens it.
  var hasLongLog: Bool { state.withLock { $0.read > $0.longLog } }

  /// The lines that a new log would begin with: the record, and the rest of what is known; `nil` if
  /// the log would hardly be shorter.
  var shortLog: (record: PartRecord, segments: Data)? {
    let (whole, segments, read) = state.withLock { ($0.whole, $0.segments.all, $0.read) }
    guard read > Self.logLimit else { return nil }
    let lines = segments.reduce(into: Data()) { $0 += $1.line }
    return Int64(lines.count) < read / 2 ? (PartRecord(whole, file: fileName), lines) : nil
  }

  /// Returns the head of a 206 with some of the bytes.
  func head(of positions: Range<Int64>) -> ResponseHead {
    var head = head
    head.status = 206
    head.headers[.contentRange] =
      ContentRange(positions.lowerBound...positions.upperBound - 1, of: total).description
    head.headers[.contentLength] = String(positions.length)
    return head
  }

  /// Returns the response of the whole.
  func response(
    _ key: CacheKey,
    varying: VaryingFields? = nil,
    body: ResourceBody,
    digest: SHA256Checksum? = nil,
    order: (knownSince: EventInstant?, askedAt: EventInstant?) = (nil, nil)
  ) -> StoredResponse {
    let (whole, head) = state.withLock { ($0.whole, $0.head) }
    let requestTime = Date(timeIntervalSinceReferenceDate: whole.requestTime)
    return StoredResponse(
      key: key,
      varying: varying ?? whole.varyingFields,
      head: head,
      body: body,
      digest: digest,
      requestTime: requestTime,
      responseTime: whole.received,
      knownAt: requestTime,
      knownSince: order.knownSince,
      askedAt: order.askedAt,
      tags: Set(whole.tags)
    )
  }

  /// Reads lines that were added since, by other processes too; the last line may still be
  /// incomplete.
  func catchUp() {
    state.withLock { state in
      guard let size = try? log.status().st_size, Int64(size) > state.read,
        let data = try? log.read(at: state.read, count: Int(Int64(size) - state.read)),
        let end = data.lastIndex(of: UInt8(ascii: "\n"))
      else { return }
      let lines = data[...end].split(separator: UInt8(ascii: "\n"))
      for line in lines {
        if let segment = PartSegment(line: line, total: total) {
          state.segments.add(segment)
        } else if let lost = PartSegment(lost: line, total: total) {
          state.segments.remove(lost)
        }
      }
      // Only the last confirmation counts.
      for line in lines.reversed() where line.first == UInt8(ascii: "{") {
        guard let whole = PartRecord.renewed(line), let head = whole.head, whole.total == total,
          validator.identifies(head)
        else { continue }
        state.whole = whole
        state.head = head
        state.recorded = whole.responseTime
        break
      }
      state.read += Int64(end - data.startIndex + 1)
    }
  }

  // MARK: - Reading

  /// The ranges that are stored, those that touch as one.
  var ranges: [Range<Int64>] { state.withLock { $0.segments.ranges } }

  func covers(_ range: Range<Int64>) -> Bool { state.withLock { $0.segments.cover(range) } }

  /// Returns the first gap, as one request asks for it; `nil` if all positions are stored.
  ///
  /// Both ends are determined under one lock, because other fetches store bytes at the same time.
  func gap(from position: Int64, to end: Int64) -> Range<Int64>? {
    state.withLock { $0.segments.gap(from: position, to: end) }
  }

  /// Returns the bytes from a position on, up to the end of their segment; `nil` if they are not
  /// stored.
  ///
  /// A segment that does not match its digest, because the disk has lost it, counts as not stored.
  func read(at position: Int64, to end: Int64) -> Data? {
    while let segment = state.withLock({ $0.segments.segment(at: position) }) {
      guard let data = read(segment) else { continue }
      let first = data.startIndex + Int(position - segment.range.lowerBound)
      return data.subdata(in: first..<first + Int(min(end, segment.range.upperBound) - position))
    }
    return nil
  }

  /// Returns the bytes of a segment; `nil` if they do not match its digest, and are not stored any
  /// more.
  private func read(_ segment: PartSegment) -> Data? {
    let range = segment.range
    // A damaged line of the log may have the digest of a part of its range.
    if let data = try? file.read(at: range.lowerBound, count: range.count),
      data.count == range.count, SHA256Hasher.digest(of: data) == segment.digest
    {
      return data
    }
    state.withLock { $0.segments.remove(segment) }
    try? log.write(segment.lostLine)
    return nil
  }

  /// Compares all that is stored with its digests; what is damaged is not stored any more.
  ///
  /// - Returns: The numbers of bytes that were read and that were damaged.
  func verify() async -> (read: Int64, damaged: Int64) {
    var (bytes, damaged): (Int64, Int64) = (0, 0)
    for segment in state.withLock({ $0.segments.all }) {
      if Task.isCancelled { break }
      bytes += Int64(segment.range.count)
      if read(segment) == nil { damaged += Int64(segment.range.count) }
      await Task.yield()
    }
    return (bytes, damaged)
  }

  /// Lets the parts count as used now.
  func noteUse() { futimens(log.descriptor, nil) }

  // MARK: - Writing

  /// Writes bytes that lie within a cell, and returns their segment, to be recorded.
  ///
  /// - Parameters:
  ///   - data: The bytes.
  ///   - position: Their place in the body.
  ///   - shelf: The shelf of the part, which has to have room for them.
  /// - Returns: The segment; `nil` if nothing was written.
  func write(_ data: Data, at position: Int64, on shelf: PartShelf) -> PartSegment? {
    guard state.withLock({ $0.segments.all.count < PartSegments.limit }),
      shelf.hasRoom(besides: self)
    else { return nil }
    // What could not be written now, as on a full disk, may be later.
    guard (try? file.write(data, at: position)) != nil else { return nil }
    return PartSegment(
      position..<position + Int64(data.count),
      SHA256Hasher.digest(of: data)
    )
  }

  /// Records segments whose bytes have been written.
  func note(_ segments: [PartSegment]) {
    guard !segments.isEmpty else { return }
    do throws(FileFailure) {
      // A segment must not be recorded before its bytes would survive a loss of power.
      if survivesPower { try file.synchronize() }
      try log.write(segments.reduce(into: Data()) { $0 += $1.line })
      if survivesPower { try log.synchronize() }
    } catch {
      return
    }
    state.withLock { state in for segment in segments { state.segments.add(segment) } }
  }

  /// Records the head that the origin sent when it confirmed the version.
  ///
  /// The same head is written at most once per second, because each write adds a line.
  func renew(_ whole: PartialRecord) {
    guard let head = whole.head else { return }
    let isNews = state.withLock { state in
      let isNews =
        head.headers != state.head.headers || whole.tags != state.whole.tags
        || abs(whole.responseTime - state.recorded) >= 1
      state.whole = whole
      state.head = head
      if isNews { state.recorded = whole.responseTime }
      return isNews
    }
    // Without it, the origin is asked once more.
    if isNews { try? log.write(PartRecord.renewal(whole)) }
  }

  /// The size on disk with the log, in bytes.
  var storedBytes: Int64 {
    [file, log].reduce(0) { $0 + ((try? $1.status()).map { Int64($0.st_blocks) * 512 } ?? 0) }
  }

  /// The bytes of the whole as a body.
  ///
  /// They are compared with their digests once; later bodies are compared by their first reader.
  ///
  /// - Parameter isTemporary: `true` if a store may take the file over, which is removed with its last reference if none
  ///   does.
  /// - Returns: The body and its digest; `nil` if a part is missing.
  func body(isTemporary: Bool) async -> (BodyFile, SHA256Checksum)? {
    if let digest = state.withLock({ $0.digest }) {
      let verification = BodyVerification(digest) { [weak self] isRight in
        if !isRight { self?.state.withLock { $0.digest = nil } }
      }
      return (body(isTemporary, verification), digest)
    }
    let hasher = SHA256Hasher()
    var position: Int64 = 0
    while position < total {
      if Task.isCancelled { return nil }
      guard let data = read(at: position, to: total) else { return nil }
      hasher.update(data)
      position += Int64(data.count)
      await Task.yield()
    }
    let digest = hasher.finish()
    state.withLock { state in
      // Some may have been lost meanwhile.
      if state.segments.cover(0..<total) { state.digest = digest }
    }
    return (body(isTemporary, nil), digest)
  }

  private func body(_ isTemporary: Bool, _ verification: BodyVerification?) -> BodyFile {
    BodyFile(
      file,
      url: URL(fileURLWithPath: bodyPath, isDirectory: false),
      length: total,
      isTemporary: isTemporary,
      verification: verification
    )
  }
}
