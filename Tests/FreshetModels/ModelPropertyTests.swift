import Foundation
import Freshet
import FreshetModels
import FreshetTesting
import Testing

@Suite(.serialized) struct ModelPropertyTests {
  /// What a dictionary holds after the same changes.
  private struct Mirror {
    var users: [Int: Person] = [:]
    var tweets: [String: (text: String, user: Int, mentions: [Int])] = [:]

    mutating func save(_ tweet: Tweet) {
      for user in [tweet.user] + tweet.mentions { users[user.id] = user }
      tweets[tweet.id] = (tweet.text, tweet.user.id, tweet.mentions.map(\.id))
    }

    var visible: [String: Tweet] {
      tweets.reduce(into: [:]) { result, entry in
        guard let user = users[entry.value.user] else { return }
        var tweet = Tweet(id: entry.key, text: entry.value.text, user: user)
        tweet.mentions = entry.value.mentions.compactMap { users[$0] }
        result[entry.key] = tweet
      }
    }
  }

  private enum Change {
    case user(Person)
    case tweet(Tweet)
    case deleteUser(Int)
    case deleteTweet(String)
    case deleteNamed(String)

    static func random(_ generator: inout SeededGenerator) -> Change {
      func user() -> Person {
        .sample(
          Int.random(in: 0..<8, using: &generator),
          name: "n\(Int.random(in: 0..<4, using: &generator))",
          followers: Int.random(in: 0..<100, using: &generator)
        )
      }
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<3: return .user(user())
      case 3..<7:
        // One user has one description in a tweet.
        var tweet = Tweet.sample("\(Int.random(in: 0..<8, using: &generator))", by: user())
        tweet.text = "t\(Int.random(in: 0..<3, using: &generator))"
        let others = (0..<8).shuffled(using: &generator).filter { $0 != tweet.user.id }
        tweet.mentions = others.prefix(Int.random(in: 0..<3, using: &generator)).map { .sample($0) }
        return .tweet(tweet)
      case 7: return .deleteUser(Int.random(in: 0..<8, using: &generator))
      case 8: return .deleteTweet("\(Int.random(in: 0..<8, using: &generator))")
      default: return .deleteNamed("n\(Int.random(in: 0..<4, using: &generator))")
      }
    }

    func apply(to mirror: inout Mirror) {
      switch self {
      case .user(let user): mirror.users[user.id] = user
      case .tweet(let tweet): mirror.save(tweet)
      case .deleteUser(let id): mirror.users[id] = nil
      case .deleteTweet(let id): mirror.tweets[id] = nil
      case .deleteNamed(let name): mirror.users = mirror.users.filter { $0.value.name != name }
      }
    }

    func apply(to transaction: ModelTransaction) throws(FreshetError) {
      switch self {
      case .user(let user): try transaction.save(user)
      case .tweet(let tweet): try transaction.save(tweet)
      case .deleteUser(let id): try transaction.delete(Person.self, id: id)
      case .deleteTweet(let id): try transaction.delete(Tweet.self, id: id)
      case .deleteNamed(let name):
        try transaction.delete(ModelQuery(Person.self).where(\.name, is: name))
      }
    }
  }

  @Test(arguments: StorePlace.allCases, [1, 2, 3, 4, 5, 6] as [UInt64])
  func `any changes and rollbacks have the same result as in a dictionary`(
    place: StorePlace,
    seed: UInt64
  ) async throws {
    var generator = SeededGenerator(seed: seed)
    let store = place.make()
    var mirror = Mirror()
    for _ in 0..<60 {
      let changes = (0..<Int.random(in: 1..<5, using: &generator))
        .map { _ in
          Change.random(&generator)
        }
      let fails = Int.random(in: 0..<4, using: &generator) == 0
      let result: Void? = try? await store.transaction { transaction throws(FreshetError) in
        for change in changes { try change.apply(to: transaction) }
        if fails { throw .cancelled }
      }
      #expect((result == nil) == fails)
      if !fails { for change in changes { change.apply(to: &mirror) } }

      let users = try await store.models(ModelQuery(Person.self))
      #expect(Dictionary(uniqueKeysWithValues: users.map { ($0.id, $0) }) == mirror.users)
      let tweets = try await store.models(ModelQuery(Tweet.self))
      #expect(Dictionary(uniqueKeysWithValues: tweets.map { ($0.id, $0) }) == mirror.visible)
      #expect(try await store.count(ModelQuery(Tweet.self)) == mirror.tweets.count)
      let named = try await store.models(ModelQuery(Person.self).where(\.name, is: "n1"))
      #expect(Set(named) == Set(mirror.users.values.filter { $0.name == "n1" }))
    }
  }
}
