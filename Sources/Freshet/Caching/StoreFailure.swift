/// The reason why a store could not keep or find something, as a case and in words, see
/// ``FreshetError/store(_:)``.
public struct StoreFailure: Sendable, Hashable {
  /// The kind of the reason, by which stages decide what follows.
  public enum Reason: Sendable, Hashable {
    /// The response was asked for before its key was invalidated.
    case invalidated
    /// The response was asked for before what is stored for it was removed.
    case removed
    /// A newer response is stored.
    case older
    /// The body that was validated is not stored any more.
    case bodyRemoved
    /// Another body is stored by now than the one that was validated.
    case bodyReplaced
    /// The response is larger than the store takes.
    case tooLarge
    /// Another one, which only the words tell.
    case other
  }

  /// The kind of the reason.
  public let reason: Reason
  /// The reason in words, as the end of a sentence.
  public let description: String

  /// Makes the failure for a reason, in words of its own.
  public init(_ reason: Reason) {
    self.init(reason, Self.words(reason))
  }

  /// Makes the failure for any other reason.
  ///
  /// - Parameter description: The reason in words.
  public init(_ description: String) {
    self.init(.other, description)
  }

  private init(_ reason: Reason, _ description: String) {
    self.reason = reason
    self.description = description
  }

  /// A Boolean value that indicates whether what was to be kept came too late, which no further attempt changes.
  public var isLate: Bool {
    switch reason {
    case .invalidated, .removed, .older, .bodyRemoved, .bodyReplaced: true
    case .tooLarge, .other: false
    }
  }

  private static func words(_ reason: Reason) -> String {
    switch reason {
    case .invalidated: "the resource was changed after it was requested"
    case .removed: "the stored responses were removed after it was requested"
    case .older: "a newer response is stored"
    case .bodyRemoved: "its body is no longer stored"
    case .bodyReplaced: "another body was stored meanwhile"
    case .tooLarge: "the response is larger than the store allows"
    case .other: "it failed"
    }
  }
}

extension StoreFailure: CustomStringConvertible {}

extension StoreFailure.Reason {
  /// The error for the reason.
  var error: FreshetError { .store(StoreFailure(self)) }
}

extension FreshetError {
  /// The failure of a store, in words.
  ///
  /// - Parameter reason: The reason, as the end of a sentence.
  /// - Returns: The error.
  package static func store(_ reason: String) -> FreshetError { .store(StoreFailure(reason)) }
}
