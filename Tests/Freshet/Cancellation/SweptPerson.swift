import FreshetModels

/// The model that the sweep saves, reads and observes.
struct Person: PersistableModel {
  static let modelName = "Person"

  let id: Int
  var name: String

  static func sample(_ id: Int, name: String? = nil) -> Person {
    Person(id: id, name: name ?? "user \(id)")
  }
}
