public import Foundation

/// Keeps responses in a directory, across launches and for several processes at once.
///
/// - Making it touches nothing: the directory and its database are opened at the first use, on a
///   thread of the store's own, in a time that does not depend on how much is stored.
/// - What ``keep(_:)`` has acknowledged survives the end of the process at any moment, and loss of
///   power with ``Durability/power``. Concurrent calls share one transaction.
/// - Finding something costs no write and never waits for a writer; uses are written in groups.
/// - A body up to ``Configuration/inlineLimit`` is in the database, a larger one in a file that is
///   complete before its record exists, and removed after its record is gone.
/// - A response is verified when it is used for the first time after opening: its head and the
///   length of its body always, the SHA-256 of a body up to 16 MiB before it is handed out. A damaged
///   one is a miss and is removed. That of a larger body is verified by the first one who reads it
///   whole, who gets an error if it is damaged; it is a miss from then on. A part of such a body is
///   not verified by itself.
/// - Ranges of a body whose response has a strong validator (206) are kept as parts of the whole, across
///   launches: what they cover is answered from them, and only what is missing is asked for. Once they
///   make the whole, they are that.
/// - Several processes may use one directory. What one has removed, or has begun anew, no other one
///   finds again.
/// - A directory that cannot be written is read, if its database was closed before it became so.
/// - A damaged database is set aside, and an empty one begun. One of a newer version of Freshet, or
///   of another program, is left alone, and the store finds and keeps nothing.
///
/// ```swift
/// let disk = DiskStore(directory: caches) { $0.byteLimit = 100 << 20 }
/// ```
public final class DiskStore: ResourceStore {
  /// The disk, see ``Resource/Origin/disk``.
  public let origin = Resource.Origin.disk
  /// Where everything is kept: with mode 0700 when the store makes it, its files with mode 0600.
  public let directory: URL
  /// The limits.
  public let configuration: Configuration
  /// An error is kept beside the copy of the resource.
  public var keepsErrorsBeside: Bool { true }
  /// Where bodies rest while they arrive, on the store's file system: keeping them moves them.
  ///
  /// What has arrived of a large body whose transfer breaks, or whose process ends, stays there if its
  /// response can be resumed and may be stored; the next fetch goes on with it.
  ///
  /// If nothing can be written there, they rest in the default spool.
  public var spool: Spool {
    var spool = arriving
    spool.partials = partials
    spool.parts = parts
    return spool
  }
  private let arriving: Spool
  /// Ranges of bodies that are not stored as a whole.
  let parts: PartShelf
  let shared: DiskShared
  let readers: DiskReaders
  let writer: WriterThread<DiskSession>

  /// Makes a store; nothing is opened yet.
  ///
  /// - Parameters:
  ///   - directory: A directory for this store alone; made when it is needed.
  ///   - configure: Changes the default limits.
  ///   - onDiagnostic: Hears what goes wrong, on any thread; it must return soon.
  public convenience init(
    directory: URL,
    _ configure: (inout Configuration) -> Void = { _ in },
    onDiagnostic: (@Sendable (Diagnostic) -> Void)? = nil
  ) {
    self.init(
      directory: directory,
      configuration: Configuration(configure),
      onDiagnostic: onDiagnostic
    )
  }

  /// Makes a store; nothing is opened yet.
  ///
  /// - Parameters:
  ///   - directory: A directory for this store alone; made when it is needed.
  ///   - configuration: The limits.
  ///   - onDiagnostic: Hears what goes wrong, on any thread; it must return soon.
  public convenience init(
    directory: URL,
    configuration: Configuration,
    onDiagnostic: (@Sendable (Diagnostic) -> Void)? = nil
  ) {
    self.init(
      directory: directory,
      configuration: configuration,
      tuning: Tuning(),
      onDiagnostic: onDiagnostic
    )
  }

  init(
    directory: URL,
    configuration: Configuration,
    tuning: Tuning,
    onDiagnostic: (@Sendable (Diagnostic) -> Void)?
  ) {
    self.directory = directory
    self.configuration = configuration
    shared = DiskShared(
      layout: DiskLayout(directory: directory),
      configuration: configuration,
      tuning: tuning,
      listener: onDiagnostic
    )
    var spool = Spool(directory: shared.layout.spool)
    spool.fallback = Spool.defaultDirectory
    spool.partials = PartialFolder(directory: shared.layout.partials, byteLimit: 0)
    arriving = spool
    parts = PartShelf(
      directory: shared.layout.parts,
      survivesPower: configuration.durability == .power,
      limit: { [shared] in shared.limits.partialBytes }
    )
    let (shared, readers) = (shared, DiskReaders(shared: shared))
    self.readers = readers
    writer = WriterThread(
      name: "freshet.disk",
      session: { _ in DiskSession(shared: shared, readers: readers) },
      unused: { shared.closed() }
    )
  }

  deinit {
    writer.stop()
  }

  var partials: PartialFolder {
    var partials =
      arriving.partials ?? PartialFolder(directory: shared.layout.partials, byteLimit: 0)
    partials.byteLimit = shared.limits.partialBytes
    return partials
  }

  /// Writes what is waiting, and closes the store for good; it finds and keeps nothing afterwards.
  ///
  /// A store that is dropped does the same by itself, a moment later.
  public func close() async {
    writer.stop()
    await writer.end()
  }

  /// Forgets the uses that are not written yet: whoever only looks uses nothing.
  package func forgetUses() {
    _ = shared.touches.take()
  }

  /// How much is stored, without counting.
  ///
  /// - Returns: The numbers of the last commit.
  /// - Throws: ``FreshetError/store(_:)`` if the store cannot be used.
  public func statistics() async throws(FreshetError) -> Statistics {
    try await open()
    do throws(SQLiteError) {
      return try await read { readers throws(SQLiteError) in try readers.statistics() }
        ?? Statistics(count: 0, bytes: 0)
    } catch {
      throw .store(error.reason)
    }
  }

  /// Which database is open, counted; `nil` if none is that can be written.
  var generation: Int? {
    if case .open(let generation, .full) = shared.current { generation } else { nil }
  }

  /// Opens the store unless it is open.
  func open() async throws(FreshetError) {
    if case .open = shared.current { return }
    try await writer.open()
  }

  /// Reads, once more after the writer has opened the database that took the place of the one that
  /// was open.
  func read<Value: Sendable>(
    _ body: (DiskReaders) throws(SQLiteError) -> Value
  ) async throws(SQLiteError) -> Value {
    do throws(SQLiteError) {
      return try body(readers)
    } catch {
      guard error.isMoved else { throw error }
    }
    try? await writer.open()
    return try body(readers)
  }
}
