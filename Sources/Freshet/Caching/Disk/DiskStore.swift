public import FreshetEssentials

/// A store of responses in a directory, across launches and for several processes at once.
///
/// - Making it touches nothing: the directory and its database are opened at the first use, on a
///   thread of the store's own, in a time that does not depend on how much is stored.
/// - A response that ``keep(_:)`` has acknowledged survives the end of the process at any moment,
///   and loss of power with ``Durability/power``. Concurrent calls share one transaction.
/// - A lookup writes nothing and never waits for a writer; uses are written in groups.
/// - A body up to ``Configuration/inlineLimit`` is in the database. A larger one is in a file that
///   is complete before its record exists, and removed after its record is deleted.
/// - A response is verified when it is used for the first time after opening: its head and the
///   length of its body always, the SHA-256 of a body up to 16 MiB before it is returned. A damaged
///   response is a miss and is removed. A larger body is verified by the first reader that reads it
///   as a whole, which gets an error if it is damaged; it is a miss from then on. A part of such a
///   body is not verified by itself.
/// - Ranges of a body whose response has a strong validator (206) are stored as parts of the whole,
///   across launches: requests for ranges that they cover are answered from them, and only missing
///   bytes are requested. Once the parts are complete, they are stored as the whole.
/// - Several processes may use one directory. A response that one of them has removed or replaced
///   is not found by the others.
/// - A directory that cannot be written is read, if its database was closed before it became so.
/// - A damaged database is set aside, and an empty one created. A database of a newer version of
///   Freshet, or of another program, is left unchanged, and the store finds and stores nothing.
///
/// ```swift
/// let disk = DiskStore(directory: caches) { $0.byteLimit = 100 << 20 }
/// ```
public final class DiskStore: ResourceStore {
  /// The disk, see ``Resource/Source/disk``.
  public let source = Resource.Source.disk
  /// The directory of the store.
  ///
  /// It has mode 0700 when the store makes it; its files have mode 0600.
  public let directory: URL
  /// The limits and the durability.
  public let configuration: Configuration
  /// A Boolean value that indicates whether an error is stored beside the copy of the resource;
  /// `true`.
  public var keepsErrorsBeside: Bool { true }
  /// The folder for bodies that are arriving, on the store's file system, so that storing a body
  /// moves it.
  ///
  /// If the transfer of a large body breaks or its process ends, the part that has arrived stays
  /// there, provided that its response can be resumed and may be stored; the next fetch resumes it.
  ///
  /// If the folder cannot be written, the default spool is used. Once the store is closed, and while it
  /// cannot be used, no parts stay.
  public var spool: Spool {
    var spool = arriving
    switch shared.current {
    case .unopened, .open: (spool.partials, spool.parts) = (partials, parts)
    case .failed, .closed: break
    }
    return spool
  }
  private let arriving: Spool
  private let unlimitedPartials: PartialFolder
  /// Ranges of bodies that are not stored as a whole.
  let parts: PartShelf
  let shared: DiskShared
  let readers: DiskReaders
  let writer: WriterThread<DiskSession>
  let users = StoreUsers()

  /// Makes a store; nothing is opened yet.
  ///
  /// - Parameters:
  ///   - directory: A directory for this store alone; made when it is needed.
  ///   - configure: Changes the default limits.
  ///   - onDiagnostic: Hears what goes wrong, on any thread; it must return soon.
  ///   - now: The wall clock by which the store counts ages; the system's by default.
  public convenience init(
    directory: URL,
    _ configure: (inout Configuration) -> Void = { _ in },
    onDiagnostic: (@Sendable (Diagnostic) -> Void)? = nil,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.init(
      directory: directory,
      configuration: Configuration(configure),
      onDiagnostic: onDiagnostic,
      now: now
    )
  }

  /// Makes a store; nothing is opened yet.
  ///
  /// - Parameters:
  ///   - directory: A directory for this store alone; made when it is needed.
  ///   - configuration: The limits.
  ///   - onDiagnostic: Hears what goes wrong, on any thread; it must return soon.
  ///   - now: The wall clock by which the store counts ages; the system's by default.
  public convenience init(
    directory: URL,
    configuration: Configuration,
    onDiagnostic: (@Sendable (Diagnostic) -> Void)? = nil,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.init(
      directory: directory,
      configuration: configuration,
      tuning: Tuning(now: now),
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
    arriving = spool
    unlimitedPartials = PartialFolder(directory: shared.layout.partials, byteLimit: .max)
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
    var partials = unlimitedPartials
    partials.byteLimit = shared.limits.partialBytes
    return partials
  }

  /// Writes pending changes, and closes the store for good; it finds and stores nothing afterwards.
  ///
  /// A store that is released does the same by itself, a moment later.
  public func close() async {
    writer.stop()
    await writer.end()
  }

  /// Counts no uses from now on, for programs that only inspect the store.
  package func ignoreUses() {
    shared.touches.ignore()
  }

  /// Returns the number and the size of the stored responses, without counting them.
  ///
  /// - Returns: The numbers of the last commit, and those of the parts that are there.
  /// - Throws: ``FreshetError/store(_:)`` if the store cannot be used.
  public func statistics() async throws(FreshetError) -> Statistics {
    try await open()
    do throws(SQLiteError) {
      var statistics =
        try await read { reader throws(SQLiteError) in try reader.statistics() }
        ?? Statistics(count: 0, bytes: 0)
      (statistics.partCount, statistics.partBytes) = parts.count()
      return statistics
    } catch {
      throw .store(error.reason)
    }
  }

  /// The number of the open database; `nil` if none is open that can be written.
  var generation: Int? {
    if case .open(let generation, .full) = shared.current { generation } else { nil }
  }

  /// Opens the store unless it is open.
  func open() async throws(FreshetError) {
    if case .open = shared.current { return }
    try await writer.open()
  }

  /// Reads, and again if another database has replaced the open one, after the writer has opened
  /// that; returns `nil` if the store is not open.
  func read<Value: Sendable>(
    _ body: @Sendable (DiskReader) throws(SQLiteError) -> Value
  ) async throws(SQLiteError) -> Value? {
    do throws(SQLiteError) {
      return try readers.read(body)
    } catch {
      guard error.isMoved else { throw error }
    }
    try? await writer.open()
    return try readers.read(body)
  }
}
