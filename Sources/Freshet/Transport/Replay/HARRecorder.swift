public import FreshetEssentials
import Synchronization

/// Records exchanges and writes them to an HTTP archive, for browsers' tools and ``ReplayTransport``.
///
/// Bodies in formats that cannot be searched for secrets, such as text, markup and images, are only
/// recorded by their length and SHA-256 digest; JSON, server-sent events of JSON, forms, and
/// multipart bodies of these are recorded without their secrets. To record all bodies, set
/// ``SecretRules/unparsedBodies-swift.property``:
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
  /// The rules for the secrets that are never recorded.
  public let rules: SecretRules
  /// The largest body that is recorded, in bytes; of larger ones only the size is.
  public let maximumBodySize: Int
  /// The largest number of exchanges that are kept; the oldest are removed first.
  public let maximumCount: Int
  let now: @Sendable () -> Date
  private let entries = Mutex<[HAR.Entry]>([])

  /// Creates a recorder.
  ///
  /// - Parameters:
  ///   - rules: The rules for the secrets that are never recorded; ``SecretRules/standard`` by default.
  ///   - maximumBodySize: The largest body that is recorded, in bytes; 1 MiB by default.
  ///   - maximumCount: The largest number of exchanges that are kept; 1,000 by default.
  ///   - now: A closure that returns the current time; the system's by default.
  public init(
    rules: SecretRules = .standard,
    maximumBodySize: Int = 1 << 20,
    maximumCount: Int = 1_000,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.rules = rules
    self.maximumBodySize = maximumBodySize
    self.maximumCount = max(0, maximumCount)
    self.now = now
  }

  /// The number of recorded exchanges.
  public var count: Int { entries.withLock(\.count) }

  /// Removes all recorded exchanges.
  public func removeAll() {
    entries.withLock { $0 = [] }
  }

  /// Records an exchange that has ended.
  package func add(_ exchange: RecordedExchange) {
    let entry = HAR.Entry(exchange, by: self)
    entries.withLock { entries in
      entries.append(entry)
      if entries.count > maximumCount { entries.removeFirst(entries.count - maximumCount) }
    }
  }

  /// Returns the archive as indented JSON with sorted keys.
  ///
  /// - Throws: ``FreshetError/file(_:path:)`` if it cannot be encoded.
  public func data() throws(FreshetError) -> Data {
    let entries = entries.withLock { $0 }
      .sorted { ($0.startedDateTime ?? "") < ($1.startedDateTime ?? "") }
    let creator = HAR.Creator(name: "Freshet", version: "1.0")
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do {
      return try encoder.encode(HAR(log: HAR.Log(creator: creator, entries: entries)))
    } catch {
      throw .file("the archive cannot be encoded", path: "")
    }
  }

  /// Writes the archive to a file, which is replaced atomically.
  ///
  /// A new file has mode 0600, because bodies may be private; one of the user's that is replaced keeps its permissions.
  ///
  /// - Parameter file: The URL of the file, in an existing directory.
  /// - Throws: ``FreshetError/file(_:path:)`` if it cannot be written.
  public func write(to file: URL) throws(FreshetError) {
    var status = stat()
    let isOwn =
      lstat(file.path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
      && status.st_uid == geteuid()
    let permissions = isOwn ? status.st_mode & 0o777 : 0o600
    try ResourceBody(data()).write(to: file, permissions: permissions)
  }
}
