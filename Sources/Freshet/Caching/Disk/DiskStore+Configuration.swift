import Foundation

extension DiskStore {
  /// How a store keeps what it is given.
  public struct Configuration: Sendable, Hashable {
    /// The largest size of everything stored, in bytes; by default the one that the directory has.
    ///
    /// It counts bodies, heads and keys. When something is kept and the store has grown past it, what
    /// was unused longest is removed, until nine tenths of it are left; opening and looking remove
    /// nothing.
    ///
    /// The limit belongs to the directory: a store that names one writes it there with its first
    /// change, and stores that name none, such as the command-line tool's, go by it. A new directory
    /// has 512 MiB. Where several processes name different ones, the last one that wrote counts for
    /// those that name none.
    public var byteLimit: Int64?
    /// The largest body that is kept in the database, in bytes; 16 KiB by default.
    public var inlineLimit = 16 << 10
    /// The largest size of all bodies together that have not arrived whole, in bytes, and that of all
    /// parts of bodies, which ranges were asked of; by default the
    /// one that the directory has, 512 MiB for a new one, and 0 keeps none.
    ///
    /// They wait a week at most to be resumed, and do not count as stored. It belongs to the directory
    /// as ``byteLimit`` does, and counts when another body begins.
    public var partialByteLimit: Int64?
    /// What acknowledged means.
    public var durability = Durability.process
    /// Whether the directory is left out of the device's backups on Apple platforms.
    ///
    /// By default it is: what is in it can be fetched again. Elsewhere it means nothing.
    public var isExcludedFromBackups = true

    /// Makes the default configuration, changed by a closure.
    public init(_ configure: (inout Configuration) -> Void = { _ in }) {
      configure(&self)
    }
  }

  /// What an acknowledged response survives.
  public enum Durability: Sendable, Hashable {
    /// The end of the process at any moment.
    ///
    /// After a loss of power the newest responses may be gone, and those that were half written are
    /// found out by their digest.
    case process
    /// A loss of power too: each group of writes waits for the device.
    case power
  }

  /// How much is stored.
  public struct Statistics: Sendable, Hashable {
    /// How many responses; each variant counts.
    public var count: Int
    /// The size of bodies, heads and keys in bytes.
    public var bytes: Int64
  }

  /// What only tests change.
  struct Tuning: Sendable {
    /// How old a body without a record must be before it is removed.
    var orphanGrace: TimeInterval = 3_600
    /// How much time passes between two searches for such bodies.
    var sweepInterval: TimeInterval = 86_400
    /// How many uses are gathered before they are written.
    var touchLimit = 4_096
    /// How long a use waits at most until it is written, while nothing else is.
    var touchDelay = Duration.seconds(30)
    /// How long opening waits for another process that opens the same directory.
    var lockPatience = Duration.seconds(2)
    /// How many variants a key may have.
    var variantLimit = 32
    /// How a database is read again that the device did not read.
    var examine: @Sendable (_ path: String) throws(SQLiteError) -> Void = DiskExamination.run
    /// The wall clock.
    var now: @Sendable () -> Date = { Date() }
  }
}
