import Foundation
import Freshet
import FreshetTesting

struct User: PersistableModel, Hashable {
  static let modelName = "User"
  static let indexes = [
    ModelIndex(\User.name, "name"),
    ModelIndex(\User.followers, "followers_count"),
    ModelIndex(\User.joined, "joined"),
    ModelIndex(\User.place?.city, "place.city"),
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
  var user: User
  var quoted: Quote?
  var mentions: [User] = []

  /// A plain struct with a model inside.
  struct Quote: Codable, Hashable {
    var comment: String
    var author: User?
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

extension User {
  static func sample(_ id: Int, name: String? = nil, followers: Int = 0) -> User {
    User(id: id, name: name ?? "user \(id)", followers: followers)
  }
}

extension Tweet {
  static func sample(_ id: String, text: String = "hello", by user: User = .sample(7)) -> Tweet {
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
