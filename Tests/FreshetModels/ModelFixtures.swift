import Foundation
import Freshet
import FreshetModels
import FreshetTesting

// The suites with stores are serialized: all of them at once would have a thousand files open,
// which is more than `Process` of Foundation can do with.

struct Person: PersistableModel, Hashable {
  static let modelName = "Person"
  static let indexes = [
    ModelIndex(\Person.name, "name"),
    ModelIndex(\Person.followers, "followers_count"),
    ModelIndex(\Person.joined, "joined"),
    ModelIndex(\Person.place?.city, "place.city"),
  ]

  struct Place: Codable, Hashable {
    var city: String
    var country: String?
  }

  let id: Int
  var name: String
  var followers = 0
  var joined: Date?
  var place: Place?

  enum CodingKeys: String, CodingKey {
    case id, name, joined, place
    case followers = "followers_count"
  }
}

struct Tweet: PersistableModel, Hashable {
  static let modelName = "Tweet"
  static let indexes = [ModelIndex(\Tweet.user.id, "user"), ModelIndex(\Tweet.text, "text")]

  let id: String
  var text: String
  var user: Person
  var quoted: Quote?
  var mentions: [Person] = []

  /// A plain struct with a model inside.
  struct Quote: Codable, Hashable {
    var comment: String
    var author: Person?
  }
}

struct Timeline: Codable, Sendable, PersistableContainer {
  var tweets: [Tweet]
  var next: String?

  var persistedPart: [Tweet] {
    get { tweets }
    set { tweets = newValue }
  }
}

extension Person {
  static func sample(_ id: Int, name: String? = nil, followers: Int = 0) -> Person {
    Person(id: id, name: name ?? "user \(id)", followers: followers)
  }
}

extension Tweet {
  static func sample(_ id: String, text: String = "hello", by user: Person = .sample(7)) -> Tweet {
    Tweet(id: id, text: text, user: user)
  }
}

/// Where a store of a test is.
enum StorePlace: CaseIterable, Sendable {
  case memory
  case disk

  func make() -> ModelStore {
    switch self {
    case .memory: .inMemory()
    case .disk: .temporary()
    }
  }
}
