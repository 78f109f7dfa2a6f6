public import Freshet

/// A change of a model by a service call, which a ``ChangeQueue`` stores before it sends it.
///
/// The queue stores its stored properties, and sends it again with the same values after a restart. So the
/// endpoint must not read a clock or generate random numbers.
///
/// ```swift
/// struct Rename: ModelChange {
///   static let changeName = "Rename"
///   typealias Subject = Spring
///   typealias Output = Spring
///   var subjectID: Spring.ID
///   var name: String
///   var method: HTTPMethod { .patch }
///   var path: RequestPath { "springs/\(subjectID)" }
///   var body: RequestBody? { get throws { try .json(["name": name]) } }
///
///   func apply(to models: ModelTransaction) throws(FreshetError) {
///     guard var spring = try models.model(Spring.self, id: subjectID) else { return }
///     spring.name = name
///     try models.save(spring)
///   }
/// }
/// ```
public protocol ModelChange: Endpoint, Codable {
  /// The type of the model that is changed.
  associatedtype Subject: PersistableModel

  /// The name of the type in the queue, which must not change when the type is renamed.
  static var changeName: String { get }

  /// A Boolean value that indicates whether the server assigns the identity of the subject, so that
  /// ``subjectID`` is a temporary one; `false` by default.
  ///
  /// The identity is one of ``TemporaryID``. When the change is confirmed, it becomes the one that
  /// ``identity(in:)`` returns: in all stored models and in all changes that are still in the queue. Changes
  /// that name it are sent after this one.
  static var createsSubject: Bool { get }

  /// The identity of the model that is changed.
  ///
  /// The changes of one model are sent one after the other, in the order in which they were made. Changes of
  /// different models are sent concurrently.
  var subjectID: Subject.ID { get }

  /// Makes the change in the models, as the server will.
  ///
  /// - It runs when the change is made, again after each response with newer models, and a last time when
  ///   the server has confirmed it. So it must depend only on its properties and the models that it
  ///   reads.
  /// - Its effect can be rolled back. It does not keep the order of a list.
  /// - If it throws when the change is made, nothing is queued. Later, a change that throws has no
  ///   effect on the models, and is sent.
  ///
  /// - Parameter models: The models, with the effects of the earlier pending changes.
  /// - Throws: Any error, which rolls its effect back. One that is no `FreshetError` becomes a
  ///   `FreshetError.store`.
  func apply(to models: ModelTransaction) throws

  /// Makes the change in the confirmed models; ``apply(to:)`` by default.
  ///
  /// The models in the output are saved after it, in the same transaction.
  ///
  /// - Parameters:
  ///   - output: The output of the call.
  ///   - models: The confirmed models.
  /// - Throws: Any error, which rolls its effect back. The change is still confirmed.
  func confirm(_ output: Output, in models: ModelTransaction) throws

  /// Returns the identity that the server has assigned; by default the identity of the output if it is a
  /// subject, and ``subjectID`` otherwise.
  ///
  /// - Parameter output: The output of the call.
  /// - Returns: The identity.
  func identity(in output: Output) -> Subject.ID
}

extension ModelChange {
  /// `false`.
  public static var createsSubject: Bool { false }

  /// Applies the change.
  public func confirm(_ output: Output, in models: ModelTransaction) throws {
    try apply(to: models)
  }

  /// ``subjectID``.
  public func identity(in output: Output) -> Subject.ID { subjectID }
}

extension ModelChange where Output == Subject {
  /// The identity of the output.
  public func identity(in output: Output) -> Subject.ID { output.id }
}
