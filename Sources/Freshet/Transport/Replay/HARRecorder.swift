public import Foundation
import Synchronization

/// Keeps exchanges to write them to an HTTP archive, which browsers' tools and ``ReplayTransport``
/// can read.
///
/// Of bodies that are not understood, length and SHA-256 digest are kept: of text, markup, images and all else that is
/// not JSON, a form or a multipart body of these. ``SecretRules/unparsedBodies-swift.property`` asks for them:
///
/// ```swift
/// var rules = SecretRules.standard
/// rules.unparsedBodies = .shown
/// let pages = HARRecorder(rules: rules)
/// ```
///
/// ```swift
/// let recorder = HARRecorder()
/// let client = Client { $0.transport = wire.recording(to: recorder) }
/// …
/// try recorder.write(to: file)
/// ```
public final class HARRecorder: Sendable {
  /// What is never kept.
  public let rules: SecretRules
  /// The largest body that is kept, in bytes; of a larger one only its size is.
  public let maximumBodySize: Int
  /// How many exchanges are kept; the oldest go first.
  public let maximumCount: Int
  let now: @Sendable () -> Date
  private let entries = Mutex<[HAR.Entry]>([])

  /// Makes a recorder.
  ///
  /// - Parameters:
  ///   - rules: What is never kept; the usual secrets by default.
  ///   - maximumBodySize: The largest body that is kept, in bytes; 1 MiB by default.
  ///   - maximumCount: How many exchanges are kept; 1,000 by default.
  ///   - now: The time; the system's by default.
  public init(
    rules: SecretRules = .standard,
    maximumBodySize: Int = 1 << 20,
    maximumCount: Int = 1_000,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.rules = rules
    self.maximumBodySize = maximumBodySize
    self.maximumCount = maximumCount
    self.now = now
  }

  /// How many exchanges are kept.
  public var count: Int { entries.withLock(\.count) }

  /// Forgets everything.
  public func removeAll() {
    entries.withLock { $0 = [] }
  }

  func add(_ entry: HAR.Entry) {
    entries.withLock { entries in
      entries.append(entry)
      if entries.count > maximumCount { entries.removeFirst(entries.count - maximumCount) }
    }
  }

  /// The archive as indented JSON with sorted members.
  ///
  /// - Throws: ``FreshetError/file(_:path:)`` if it cannot be encoded.
  public func data() throws(FreshetError) -> Data {
    let entries = entries.withLock { $0 }.sorted { $0.startedDateTime < $1.startedDateTime }
    let creator = HAR.Creator(name: "Freshet", version: "1.0")
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do {
      return try encoder.encode(HAR(log: HAR.Log(creator: creator, entries: entries)))
    } catch {
      throw .file("the archive cannot be encoded", path: "")
    }
  }

  /// Writes the archive in place of a file, which is the old one or the whole new one at any time.
  ///
  /// - Parameter file: Where to; its directory must be there.
  /// - Throws: ``FreshetError/file(_:path:)`` if it cannot be written.
  public func write(to file: URL) throws(FreshetError) {
    try ResourceBody(data()).write(to: file)
  }
}
