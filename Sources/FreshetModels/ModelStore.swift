public import Foundation
public import Freshet

/// Keeps models, lets them be found, and tells who looks when they change.
///
/// - Making it touches nothing: the database is opened at the first use, on a thread of the store's
///   own. If that fails, each call says why, and the next one tries again.
/// - What a call has acknowledged survives the end of the process at any moment, and loss of power
///   with ``/Freshet/DiskStore/Durability/power``. Concurrent calls share one transaction.
/// - Several stores, also in several processes, may use one directory: each sees what the others
///   have committed, and observations follow it.
/// - Nothing is ever evicted. A damaged database is refused, or set aside and begun anew, see
///   ``Configuration/damage``; one of a newer version of Freshet, or of another program, is left
///   alone.
///
/// ```swift
/// let models = ModelStore(directory: support.appending(path: "models"))
/// try await models.save(user)
/// for try await user in models.observe(User.self, id: 7) { … }
/// ```
public final class ModelStore: ModelStoring {
  let core: ModelCore
  let writer: WriterThread<ModelSession>

  /// Makes a store in a directory; nothing is opened yet.
  ///
  /// - Parameters:
  ///   - directory: A directory for this store alone; made with mode 0700 when it is needed.
  ///   - configuration: What acknowledged means, and what to do about damage.
  public convenience init(directory: URL, configuration: Configuration = Configuration()) {
    self.init(.directory(directory), configuration)
  }

  /// Makes a store in a directory; nothing is opened yet.
  ///
  /// - Parameters:
  ///   - directory: A directory for this store alone; made with mode 0700 when it is needed.
  ///   - configure: Changes the default configuration.
  public convenience init(directory: URL, _ configure: (inout Configuration) -> Void) {
    self.init(.directory(directory), Configuration(configure))
  }

  private init(_ place: ModelPlace, _ configuration: Configuration) {
    let core = ModelCore(place: place, configuration: configuration)
    self.core = core
    writer = WriterThread(
      name: "freshet.models",
      session: { ModelSession(core: core, wake: $0) },
      unused: {
        core.closed()
        core.observers.close()
      }
    )
  }

  deinit {
    writer.stop()
  }

  /// A store in memory, which is empty at first and gone with its last reference.
  ///
  /// - Returns: A store that writes no file.
  public static func inMemory() -> ModelStore {
    ModelStore(.memory, Configuration())
  }

  /// A store in a new directory, which is removed with its last reference, or by ``close()``.
  ///
  /// - What a process leaves behind that is killed is removed when the next temporary store is used,
  ///   a minute later at the earliest.
  ///
  /// - Parameter folder: Where to make the directory; in the system's temporary one by default.
  /// - Returns: A store on disk.
  public static func temporary(in folder: URL? = nil) -> ModelStore {
    let folder =
      folder
      ?? FileManager.default.temporaryDirectory.appending(path: "freshet-models-\(geteuid())")
    return ModelStore(.temporary(folder: folder, name: UUID().uuidString), Configuration())
  }

  /// Where the files are; `nil` for a store in memory.
  public var directory: URL? { core.place.directory }

  /// Writes what is waiting, ends all observations, and closes the store for good.
  ///
  /// A store that is dropped does the same by itself, a moment later.
  public func close() async {
    writer.stop()
    await writer.end()
  }
}

extension ModelStore {
  /// How a store keeps models.
  public struct Configuration: Sendable, Hashable {
    /// What acknowledged means; ``/Freshet/DiskStore/Durability/process`` by default.
    public var durability = DiskStore.Durability.process
    /// What to do when the database is damaged; to refuse it by default.
    public var damage = Damage.refuse

    /// Makes the default configuration, changed by a closure.
    public init(_ configure: (inout Configuration) -> Void = { _ in }) {
      configure(&self)
    }
  }

  /// What a store does with a damaged database.
  public enum Damage: Sendable, Hashable {
    /// Each call fails and says so; the files stay as they are.
    case refuse
    /// The files get names with `.damaged-1`, `.damaged-2` and so on, and an empty database is
    /// begun.
    case setAside
  }
}
