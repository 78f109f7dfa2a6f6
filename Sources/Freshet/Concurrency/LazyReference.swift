import Synchronization

/// An object that is created on first use and then shared.
///
/// `AtomicLazyReference` does the same, but looks up its generic metadata at each load, which was a
/// quarter of the instructions of a hit in memory.
struct LazyReference<Object: AnyObject & Sendable>: ~Copyable, Sendable {
  /// The object's address; 0 while there is none.
  ///
  /// Storing an address retains the object once, and the address is not removed before this value is
  /// destroyed: a loaded object is alive.
  private let address = Atomic<UInt>(0)

  deinit {
    // The last reference to this value is gone, so that no load can be in progress.
    Self.unmanaged(address.load(ordering: .acquiring))?.release()
  }

  /// The object, if it has been made.
  func load() -> Object? {
    Self.unmanaged(address.load(ordering: .acquiring))?.takeUnretainedValue()
  }

  /// Stores an object unless there is one already.
  ///
  /// - Returns: The stored object.
  func storeIfNil(_ object: Object) -> Object {
    let new = Unmanaged.passRetained(object)
    let (isStored, earlier) = address.compareExchange(
      expected: 0,
      desired: UInt(bitPattern: new.toOpaque()),
      ordering: .acquiringAndReleasing
    )
    if isStored { return object }
    new.release()
    return Self.unmanaged(earlier)?.takeUnretainedValue() ?? object
  }

  private static func unmanaged(_ address: UInt) -> Unmanaged<Object>? {
    UnsafeRawPointer(bitPattern: address).map { .fromOpaque($0) }
  }
}
