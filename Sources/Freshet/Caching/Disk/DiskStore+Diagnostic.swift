import FreshetEssentials

extension DiskStore {
  /// A problem in a store that was not, or not only, an error of a call.
  public enum Diagnostic: Sendable, Hashable {
    /// The store cannot be used at the moment: it finds nothing and stores nothing.
    case unusable(reason: String)
    /// The database was damaged: it was set aside, and an empty one created.
    case databaseReplaced(reason: String)
    /// The store's directory or its database was removed or replaced while it was open, for
    /// instance by another process; the current one is used.
    case directoryVanished
    /// A response was removed because it was damaged.
    case entryDropped(url: String, reason: String)
    /// Something could not be read, and counted as not stored; it is reported once until something
    /// could be read again.
    case unreadable(reason: String)
    /// Something could not be written; it is reported once until a caller's change could be written
    /// again.
    ///
    /// Changes that the store makes by itself, such as recording a use, do not count.
    case unwritable(reason: String)
    /// Bodies that belong to no record were removed.
    case orphansRemoved(count: Int)
    /// A body is about to arrive that is larger than the store may be: it is delivered and not kept.
    ///
    /// It is told before the first byte of the body. A larger ``Configuration/byteLimit`` keeps such
    /// bodies, and ``Client/download(_:to:expecting:policy:)-(URL,_,_,_)`` needs no store for them.
    case bodyTooLarge(url: String, bytes: Int64, limit: Int64)
  }
}

extension DiskStore.Diagnostic: CustomStringConvertible {
  /// The problem, as one sentence.
  public var description: String { Printable.line(sentence) }

  private var sentence: String {
    switch self {
    case .unusable(let reason):
      "The disk store cannot be used, because \(reason)."
    case .databaseReplaced(let reason):
      "The disk store's database was moved aside and an empty one was created, because \(reason)."
    case .directoryVanished:
      "The disk store's directory was missing and was created again."
    case .entryDropped(let url, let reason):
      "The response stored for \(url) was removed, because \(reason)."
    case .unreadable(let reason):
      "The disk store could not read an entry, because \(reason)."
    case .unwritable(let reason):
      "The disk store could not be written, because \(reason)."
    case .orphansRemoved(let count):
      "The disk store removed \(count) bodies that belonged to no record."
    case .bodyTooLarge(let url, let bytes, let limit):
      "The body of \(url) has \(bytes) bytes, more than the disk store may hold "
        + "(byteLimit is \(limit)): it is delivered and not stored."
    }
  }
}
