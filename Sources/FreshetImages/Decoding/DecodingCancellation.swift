import Freshet
import Synchronization

/// A flag that ends a decoding once the task that waits for it is cancelled.
///
/// All flags are equal, so that plans are compared by what they ask for.
final class DecodingCancellation: Sendable {
  private let flag = Atomic(false)

  var isSet: Bool { flag.load(ordering: .relaxed) }

  func set() {
    flag.store(true, ordering: .relaxed)
  }

  func check() throws(ImageError) {
    if isSet { throw .resource(.cancelled) }
  }
}

extension DecodingCancellation: Hashable {
  static func == (left: DecodingCancellation, right: DecodingCancellation) -> Bool { true }

  func hash(into hasher: inout Hasher) {}
}
