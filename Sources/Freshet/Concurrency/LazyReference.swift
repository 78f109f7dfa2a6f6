import Synchronization

/// An object that is made when somebody asks for it, and is the same for all who ask.
///
/// `AtomicLazyReference` does the same, and looks up the types that it is made of at each load, which
/// was a quarter of the instructions of a hit in memory.
struct LazyReference<Object: AnyObject & Sendable>: ~Copyable, Sendable {
  /// The object's address; 0 while there is none.
  ///
  /// Whoever puts an address here retains the object for it, once, and nothing takes it away before
  /// the end of this value: what is loaded in between is alive.
  private let address = Atomic<UInt>(0)

  deinit {
    // Nobody else has this value any more.
    Self.unmanaged(address.load(ordering: .acquiring))?.release()
  }

  /// The object, if it has been made.
  func load() -> Object? {
    Self.unmanaged(address.load(ordering: .acquiring))?.takeUnretainedValue()
  }

  /// Puts an object there unless somebody has been faster.
  ///
  /// - Returns: The one that is there.
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
