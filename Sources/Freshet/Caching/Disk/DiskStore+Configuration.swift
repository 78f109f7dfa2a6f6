import FreshetEssentials

extension DiskStore {
  /// The limits and the durability of a disk store.
  public struct Configuration: Sendable, Hashable {
    /// The largest size of everything stored, in bytes; by default the limit of the directory.
    ///
    /// It includes bodies, heads and keys. When a write makes the store exceed it, the least
    /// recently used responses are removed until nine tenths of it are left. Opening and reading
    /// remove nothing.
    ///
    /// The limit belongs to the directory: a store that sets one writes it there with its first
    /// change, and stores that set none, such as the command-line tool's, use it. A new directory
    /// has 512 MiB. If several processes set different limits, the last one written applies to
    /// those that set none.
    public var byteLimit: Int64?
    /// The largest body that is stored in the database, in bytes; 16 KiB by default.
    public var inlineLimit = 16 << 10
    /// The largest total size of all partial bodies, in bytes, and also of all stored ranges of
    /// bodies; by default the limit of the directory, which is 512 MiB for a new one.
    ///
    /// 0 stores none. Partial bodies can be resumed for at most a week, and do not count as stored.
    /// The limit belongs to the directory as ``byteLimit`` does, and is applied when another body
    /// begins.
    public var partialByteLimit: Int64?
    /// The event that an acknowledged response survives; the end of the process by default.
    public var durability = Durability.process
    /// A Boolean value that indicates whether the directory is excluded from the device's backups
    /// on Apple platforms.
    ///
    /// The default is `true`, because its contents can be fetched again. It has no effect on Linux.
    public var isExcludedFromBackups = true

    /// Makes the default configuration, changed by a closure.
    public init(_ configure: (inout Configuration) -> Void = { _ in }) {
      configure(&self)
    }
  }

  /// The event that an acknowledged response survives.
  public enum Durability: Sendable, Hashable {
    /// The end of the process at any moment.
    ///
    /// After a loss of power the newest responses may be lost; those that were half written are
    /// detected by their digest.
    case process
    /// A loss of power too: each group of writes waits for the device.
    case power
  }

  /// The number and the size of the stored responses.
  public struct Statistics: Sendable, Hashable {
    /// The number of responses; each variant counts.
    public var count: Int
    /// The size of bodies, heads and keys in bytes.
    public var bytes: Int64
    /// The number of bodies of which parts are stored; they do not count in ``count``.
    public var partCount = 0
    /// The size of those parts on the disk, in bytes; it does not count in ``bytes``.
    public var partBytes: Int64 = 0

    package init(count: Int, bytes: Int64) {
      self.count = count
      self.bytes = bytes
    }
  }

  /// Settings that only tests change.
  struct Tuning: Sendable {
    /// The age at which a body without a record is removed, in seconds.
    var orphanGrace: TimeInterval = 3_600
    /// The time between two searches for such bodies, in seconds.
    var sweepInterval: TimeInterval = 86_400
    /// The number of uses that are collected before they are written.
    var touchLimit = 4_096
    /// The number of uses that are written together with a change.
    var touchGroup = 256
    /// The longest time until a use is written while nothing else is.
    var touchDelay = Duration.seconds(30)
    /// The time that opening waits for another process that opens the same directory.
    var lockPatience = Duration.seconds(2)
    /// The largest number of variants of a key.
    var variantLimit = 32
    /// Reads a database again that the device could not read.
    var examine: @Sendable (_ path: String) throws(SQLiteError) -> Void = Tuning.readAgain
    /// The wall clock.
    var now: @Sendable () -> Date

    init(now: @escaping @Sendable () -> Date = { Date() }) {
      self.now = now
    }

    /// Reads a database from its beginning to its end, on a connection of its own, and checks it.
    ///
    /// - Throws: The error that keeps it from being read, or the damage; nothing if it is in use by
    ///   others.
    private static func readAgain(_ path: String) throws(SQLiteError) {
      let connection = try SQLiteConnection(path, isCreating: false, patience: 100)
      try connection.run("PRAGMA query_only = ON")
      let verdict = try connection.prepare("PRAGMA quick_check(1)")
      guard try verdict.step(), let text = verdict.textIfText(0), text != "ok" else { return }
      throw SQLiteError(damage: text)
    }
  }
}
