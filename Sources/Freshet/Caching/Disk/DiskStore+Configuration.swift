import Foundation

extension DiskStore {
  /// How a store keeps what it is given.
  public struct Configuration: Sendable, Hashable {
    /// The largest size of everything stored, in bytes; 512 MiB by default.
    ///
    /// It counts bodies, heads and keys. A store that has grown past it removes what was unused
    /// longest, until it has gone down to nine tenths of it.
    public var byteLimit: Int64 = 512 << 20
    /// The largest body that is kept in the database, in bytes; 16 KiB by default.
    public var inlineLimit = 16 << 10
    /// The largest size of all bodies together that have not arrived whole, in bytes; 512 MiB by
    /// default, and 0 keeps none.
    ///
    /// They wait a week at most to be resumed, and do not count as stored.
    public var partialByteLimit: Int64 = 512 << 20
    /// What acknowledged means.
    public var durability = Durability.process

    /// Makes the default configuration.
    public init() {}
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
    /// How many variants a key may have.
    var variantLimit = 32
    /// The wall clock.
    var now: @Sendable () -> Date = { Date() }
  }
}
