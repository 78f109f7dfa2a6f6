#if Redis && !canImport(Darwin)
public import Freshet
import FreshetEssentials

extension SharedStore {
  /// The server, and the limits of a shared store.
  public struct Configuration: Sendable {
    /// The longest time that an operation waits for the server; 10 ms by default.
    ///
    /// One that takes longer is a miss, or is not stored. Further ones do not wait until the server
    /// answers in time again. A connection on which a reply is missing for twice as long, and for a second
    /// at least, is replaced; for ``connectTimeout`` at least if an operation waits for it that long, such as
    /// ``SharedStore/entries``.
    public var timeout: Duration = .milliseconds(10)
    /// The longest time for establishing a connection, in the background; a second by default.
    public var connectTimeout: Duration = .seconds(1)
    /// The longest pause between two attempts to connect; 5 seconds by default.
    ///
    /// The first pause is 100 ms, each further one twice as long, and random by a quarter. None is shorter
    /// than 10 ms.
    public var longestPause: Duration = .seconds(5)
    /// The number of connections for commands, on which commands are pipelined; 2 by default, 1 at least.
    ///
    /// Another one hears the removals.
    public var connectionCount = 2
    /// The text that the names of all keys in the server begin with; `freshet` by default.
    ///
    /// Stores with different prefixes have nothing in common. In a cluster it has to contain a hash tag,
    /// such as `{freshet}`, so that all keys are on one node.
    public var prefix = "freshet"
    /// The user of the server's access control list; `nil`, the default user, by default.
    public var user: String?
    /// The password; `nil`, none, by default.
    public var password: String?
    /// The number of the database; 0 by default.
    public var database = 0
    /// The file with the certificates of the authorities that are trusted for TLS, in PEM; `nil`, those
    /// of the system, by default.
    public var trustFile: String?
    /// The largest body that is stored and found, in bytes; 8 MiB by default.
    ///
    /// A longer one, which a process with a larger limit has stored, is a miss and stays.
    ///
    /// A body of more than 256 KiB is stored in chunks, each with its own ``timeout``. A connection on which a
    /// reply is longer than this by 16 MiB, or has more than a million elements, is replaced.
    public var bodyLimit = 8 << 20
    /// The time for which a response is retained after its lifetime, for validations and failures; a day
    /// by default.
    public var retention: Duration = .seconds(86_400)
    /// The coalescing of the fetches of several processes; `nil`, none, by default.
    ///
    /// A client whose ``/Freshet/Client/Configuration/shared`` store it is has the stage of
    /// ``_Concurrency/AsyncSequence/coalesce(across:_:)`` in its chains.
    public var coalescing: Coalescing?

    /// Makes the default configuration.
    public init() {}
  }

  /// The limits of the coalescing of the fetches of several processes.
  public struct Coalescing: Sendable, Hashable {
    /// The time after which a process that has died is replaced; 3 seconds by default.
    ///
    /// A process that downloads renews its lease three times as often. It is 100 ms at least.
    public var lease: Duration
    /// The longest time that a fetch waits for other processes, before it asks the origin itself; 10
    /// seconds by default.
    public var wait: Duration

    /// Makes limits.
    ///
    /// - Parameters:
    ///   - lease: The time after which a process that has died is replaced.
    ///   - wait: The longest time that a fetch waits for other processes.
    public init(lease: Duration = .seconds(3), wait: Duration = .seconds(10)) {
      self.lease = lease
      self.wait = wait
    }
  }
}

extension SharedStore.Configuration: RedactedDescribable {
  /// The prefix, the database and the time-out, without the user and the password.
  public var description: String {
    "prefix \(prefix), database \(database), timeout \(timeout.rounded)"
  }
}
#endif
