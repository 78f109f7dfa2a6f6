public import Freshet
public import FreshetEssentials

/// A store of models, with queries and observation of changes.
///
/// - Making it touches nothing: the database is opened at the first use, on a thread of the store's
///   own. If that fails, each call throws the reason, and the next one tries again.
/// - A change that a call has acknowledged survives the end of the process at any moment, and loss
///   of power with ``/Freshet/DiskStore/Durability/power``. Concurrent calls share one transaction.
/// - Several stores, also in several processes, may use one directory: each sees the commits of the
///   others, and so do observations.
/// - The directory has to be writable, also for reading. Copy a store that ships with an app to a folder of
///   the user first.
/// - Nothing is ever evicted. A damaged database is refused, or set aside and replaced by an empty one, see
///   ``Configuration/damage``; one of a newer version of Freshet, or of another program, is left unchanged.
///
/// ```swift
/// let models = ModelStore(directory: support.appending(path: "models"))
/// try await models.save(user)
/// for try await user in models.observe(User.self, id: 7) { … }
/// ```
public final class ModelStore: ModelStoring {
  let core: ModelDatabase
  let writer: WriterThread<ModelSession>

  /// Makes a store in a directory; nothing is opened yet.
  ///
  /// - Parameters:
  ///   - directory: A directory for this store alone; made with mode 0700 when it is needed.
  ///   - configuration: The durability, and the handling of damage.
  public convenience init(directory: URL, configuration: Configuration = Configuration()) {
    self.init(.directory(directory), configuration)
  }

  /// Makes a store in a directory; nothing is opened yet.
  ///
  /// - Parameters:
  ///   - directory: A directory for this store alone; made with mode 0700 when it is needed.
  ///   - configure: A closure that changes the default configuration.
  public convenience init(directory: URL, _ configure: (inout Configuration) -> Void) {
    self.init(.directory(directory), Configuration(configure))
  }

  private init(
    _ place: ModelLocation,
    _ configuration: Configuration,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    let core = ModelDatabase(place: place, configuration: configuration, now: now)
    self.core = core
    writer = WriterThread(
      name: "freshet.models",
      session: { ModelSession(core: core, wake: $0) },
      unused: {
        core.closed()
        core.observers.notify(nil)
      }
    )
  }

  deinit {
    writer.stop()
  }

  /// Makes a store in memory, which is empty at first and ends with its last reference.
  ///
  /// It has one connection: reading waits while a transaction writes.
  ///
  /// - Returns: A store that writes no file.
  public static func inMemory() -> ModelStore {
    ModelStore(.memory, Configuration())
  }

  /// Makes a store in a new directory, which is removed with its last reference, or by ``close()``.
  ///
  /// - The directory of a process that was killed is removed when the next temporary store is used,
  ///   at least a minute later.
  ///
  /// - Parameters:
  ///   - folder: The folder of the directory; the system's temporary one by default.
  ///   - now: The time; the system's by default.
  /// - Returns: A store on disk.
  public static func temporary(
    in folder: URL? = nil,
    now: @escaping @Sendable () -> Date = { Date() }
  ) -> ModelStore {
    let folder =
      folder
      ?? FileManager.default.temporaryDirectory.appending(path: "freshet-models-\(geteuid())")
    let place = ModelLocation.temporary(folder: folder, name: UUID().uuidString)
    return ModelStore(place, Configuration(), now: now)
  }

  /// The directory of the files; `nil` for a store in memory.
  public var directory: URL? { core.place.directory }

  /// Writes pending changes, ends all observations, and closes the store for good.
  ///
  /// A store that is released does the same by itself, a moment later.
  public func close() async {
    writer.stop()
    await writer.end()
  }
}

extension ModelStore {
  /// The durability of a store, and its handling of damage.
  public struct Configuration: Sendable, Hashable {
    /// The event that acknowledged changes survive; ``/Freshet/DiskStore/Durability/process`` by default.
    public var durability = DiskStore.Durability.process
    /// The handling of a damaged database; it is refused by default.
    public var damage = Damage.refuse

    /// Makes the default configuration, changed by a closure.
    public init(_ configure: (inout Configuration) -> Void = { _ in }) {
      configure(&self)
    }
  }

  /// The handling of a damaged database.
  public enum Damage: Sendable, Hashable {
    /// A call that meets the damage fails with the reason, and once a write has met it, all later writes of the
    /// process do; nothing is repaired or deleted.
    case refuse
    /// The files get names with `.damaged-1`, `.damaged-2` and so on, and an empty database is created.
    case setAside
  }
}
