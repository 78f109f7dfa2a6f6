import Foundation
import Freshet
import FreshetModels
import FreshetTesting
import Testing

@Suite(.serialized) struct ModelNestingTests {
  @Test(arguments: StorePlace.allCases)
  func `a nested model is stored as itself at any place`(place: StorePlace) async throws {
    let store = place.make()
    var tweet = Tweet.sample("1", by: .sample(1))
    tweet.quoted = .init(comment: "see", author: .sample(2))
    tweet.mentions = [.sample(3), .sample(4), .sample(3)]

    #expect(try await store.save(tweet) == tweet)

    #expect(try await store.models(ModelQuery(Person.self)).map(\.id).sorted() == [1, 2, 3, 4])
    #expect(try await store.model(Tweet.self, id: "1") == tweet)
  }

  @Test func `a tweet's user updates the user everywhere`() async throws {
    let store = ModelStore.temporary()
    try await store.save(Tweet.sample("1", by: .sample(7, name: "old")))
    try await store.save(Tweet.sample("2", by: .sample(7, name: "new")))

    #expect(try await store.model(Tweet.self, id: "1")?.user.name == "new")
    #expect(try await store.model(Person.self, id: 7)?.name == "new")

    try await store.save(Person.sample(7, name: "newest"))
    let users = try await store.models(ModelQuery(Tweet.self)).map(\.user.name)
    #expect(users == ["newest", "newest"])
  }

  @Test func `two versions of a user in one array end as the last`() async throws {
    let store = ModelStore.temporary()
    let saved = try await store.save([
      Tweet.sample("1", by: .sample(7, name: "first")),
      Tweet.sample("2", by: .sample(7, name: "second")),
    ])

    #expect(saved.map(\.user.name) == ["second", "second"])
  }

  @Test func `a deleted model is nil, omitted, or an error`() async throws {
    let store = ModelStore.temporary()
    var tweet = Tweet.sample("1", by: .sample(1))
    tweet.quoted = .init(comment: "see", author: .sample(2))
    tweet.mentions = [.sample(3), .sample(4), .sample(5)]
    try await store.save(tweet)

    try await store.delete(Person.self, id: 2)
    try await store.delete(Person.self, id: 4)
    let left = try #require(try await store.model(Tweet.self, id: "1"))
    #expect(left.quoted == .init(comment: "see", author: nil))
    #expect(left.mentions.map(\.id) == [3, 5])

    try await store.delete(Person.self, id: 1)
    await #expect(throws: FreshetError.store("a Tweet needs a Person that is not stored")) {
      try await store.model(Tweet.self, id: "1")
    }
    #expect(try await store.models(ModelQuery(Tweet.self)).isEmpty)
    #expect(try await store.count(ModelQuery(Tweet.self)) == 1)

    try await store.save(Person.sample(1, name: "back"))
    #expect(try await store.models(ModelQuery(Tweet.self)).map(\.user.name) == ["back"])
  }

  struct Thread: PersistableModel, Hashable {
    static let modelName = "Thread"
    let id: Int
    var pinned: [Comment] = []
    var byName: [String: Comment] = [:]
  }

  struct Comment: PersistableModel, Hashable {
    static let modelName = "Comment"
    let id: Int
    var text: String
    var thread: [Thread] = []
    var answers: [Comment] = []
  }

  @Test func `cycles end at the second occurrence`() async throws {
    let store = ModelStore.temporary()
    try await store.save(Thread(id: 1))
    try await store.save(Comment(id: 1, text: "a", thread: [Thread(id: 1)]))
    // The comment inside was stored before its thread got it.
    let comment = Comment(id: 1, text: "a", thread: [Thread(id: 1)])
    try await store.save(Thread(id: 1, pinned: [comment], byName: ["a": comment]))

    let thread = try #require(try await store.model(Thread.self, id: 1))

    #expect(thread.pinned.map(\.text) == ["a"])
    #expect(thread.byName.keys.sorted() == ["a"])
    #expect(thread.pinned[0].thread.isEmpty)
  }

  @Test(arguments: [40, 65, 80])
  func `a dense graph is read in bounded time`(count: Int) async throws {
    struct Friend: PersistableModel, Hashable {
      static let modelName = "Friend"
      let id: Int
      var friends: [Friend] = []
    }
    struct Acquaintance: PersistableModel {
      static let modelName = "Friend"
      let id: Int
    }
    struct Circle: PersistableModel {
      static let modelName = "Friend"
      let id: Int
      var friends: [Acquaintance]
    }
    let store = ModelStore.temporary()
    let everybody = (0..<count).map { Acquaintance(id: $0) }
    try await store.save(
      everybody.map { friend in
        Circle(id: friend.id, friends: everybody.filter { $0.id != friend.id })
      }
    )

    let found = try await store.models(ModelQuery(Friend.self))

    #expect(found.map(\.friends.count) == Array(repeating: count - 1, count: count))
  }

  @Test func `back references are kept when a model is saved as it was read`() async throws {
    struct Author: PersistableModel, Hashable {
      static let modelName = "Author"
      let id: Int
      var name: String
      var pinned: Note?
      var notes: [Note] = []
    }
    struct Note: PersistableModel, Hashable {
      static let modelName = "Note"
      let id: Int
      var text: String
      var author: [Author] = []
    }
    let store = ModelStore.temporary()
    let author = Author(id: 1, name: "Ada")
    try await store.save(Note(id: 1, text: "a", author: [author]))
    try await store.save(Note(id: 2, text: "b", author: [author]))
    let notes = try await store.models(ModelQuery(Note.self))
    try await store.save(Author(id: 1, name: "Ada", pinned: notes[0], notes: notes))

    var note = try #require(try await store.model(Note.self, id: 1))
    #expect(note.author[0].pinned == nil)
    #expect(note.author[0].notes.map(\.id) == [2])
    note.text = "changed"
    try await store.save(note)

    let found = try #require(try await store.model(Author.self, id: 1))
    #expect(found.pinned?.text == "changed")
    #expect(Set(found.notes.map(\.id)) == [1, 2])
    #expect(try await store.model(Note.self, id: 2)?.author.map(\.id) == [1])
  }

  @Test func `back references inside lists of structs are kept`() async throws {
    struct Author: PersistableModel, Hashable {
      static let modelName = "Author"
      let id: Int
      var name: String
      var notes: [Note] = []
    }
    struct Note: PersistableModel, Hashable {
      static let modelName = "Note"
      let id: Int
      var text = ""
      var credits: [Credit]
    }
    struct Credit: Codable, Hashable {
      var role: String
      var author: Author?
      var others: [Author] = []
      var byKind: [Kind: Author] = [:]
    }
    enum Kind: Codable, Hashable {
      case first
      case second
    }
    let store = ModelStore.temporary()
    let (ada, eve) = (Author(id: 1, name: "Ada"), Author(id: 2, name: "Eve"))
    let credits = [
      Credit(role: "text", author: eve),
      Credit(role: "idea", author: ada, others: [ada, eve], byKind: [.first: ada, .second: eve]),
    ]
    try await store.save(Note(id: 1, credits: credits))
    try await store.save(Author(id: 1, name: "Ada", notes: [Note(id: 1, credits: credits)]))

    for change in [(name: "Ada", text: "changed"), (name: "Countess", text: "changed")] {
      var author = try #require(try await store.model(Author.self, id: 1))
      #expect(author.notes[0].credits.map { $0.author?.id } == [2, nil])
      author.name = change.name
      author.notes[0].text = change.text
      try await store.save(author)
    }

    let note = try #require(try await store.model(Note.self, id: 1))
    #expect(note.text == "changed")
    #expect(note.credits.map { $0.author?.name } == ["Eve", "Countess"])
    #expect(note.credits[1].others.map(\.id) == [1, 2])
    #expect(note.credits[1].byKind.mapValues(\.id) == [.first: 1, .second: 2])
  }

  @Test func `a save returns the stored form, back references included`() async throws {
    let store = ModelStore.temporary()
    let members = (1...3).map { Member(id: $0) }
    try await store.save(members)
    try await store.save(Team(id: 1, members: members))
    for member in members {
      try await store.save(Member(id: member.id, team: [Team(id: 1, members: members)]))
    }
    let found = try await store.models(ModelQuery(Member.self))
      .map { member in
        var member = member
        member.text = "changed"
        return member
      }

    let saved = try await store.save(found)

    #expect(saved == (try await store.models(ModelQuery(Member.self))))
    #expect(saved.map { $0.team[0].members.count } == [2, 2, 2])
    #expect(try await store.model(Team.self, id: 1)?.members.count == 3)
    let again = try await store.transaction { transaction throws(FreshetError) in
      try transaction.save(found[0])
    }
    #expect(again.team[0].members.count == 2)
  }

  struct Team: PersistableModel, Hashable {
    static let modelName = "Team"
    let id: Int
    var members: [Member] = []
  }

  struct Member: PersistableModel, Hashable {
    static let modelName = "Member"
    let id: Int
    var text = ""
    var team: [Team] = []
  }

  @Test func `a tree of the same type keeps its depth`() async throws {
    let store = ModelStore.temporary()
    var comment = Comment(id: 20, text: "leaf")
    for id in (0..<20).reversed() {
      comment = Comment(id: id, text: "level \(id)", answers: [comment])
    }

    try await store.save(comment)

    #expect(try await store.model(Comment.self, id: 0) == comment)
    #expect(try await store.count(ModelQuery(Comment.self)) == 21)
  }

  final class Node: PersistableModel, @unchecked Sendable {
    // Only one task at a time has it in these tests.
    static let modelName = "Node"
    let id: Int
    var next: Node?

    init(_ id: Int) { self.id = id }
  }

  @Test func `a chain is read to a depth of 64`() async throws {
    struct End: PersistableModel {
      static let modelName = "Node"
      let id: Int
    }
    struct Link: PersistableModel {
      static let modelName = "Node"
      let id: Int
      var next: End?
    }
    let store = ModelStore.temporary()
    // The longest chain is read first.
    for id in (1...70).reversed() { try await store.save(Link(id: id, next: End(id: id - 1))) }

    #expect(try await store.models(ModelQuery(Node.self)).count == 71)
    var node = try await store.model(Node.self, id: 70)
    var depth = 0
    while let found = node { (depth, node) = (depth + 1, found.next) }
    #expect(depth == 64)
  }

  /// A plain value, nested in itself.
  struct Tree: Codable, Hashable {
    var parts: [Tree] = []

    init(depth: Int) {
      for _ in 0..<depth { parts = [self] }
    }
  }

  struct Forest: PersistableModel, Hashable {
    static let modelName = "Forest"
    let id: Int
    var tree: Tree
  }

  @Test func `values that are nested too deep to be migrated are refused`() async throws {
    let store = ModelStore.temporary()
    let forest = Forest(id: 1, tree: Tree(depth: 60))
    #expect(try await store.save(forest) == forest)

    let failure = FreshetError.store(
      "a Forest cannot be stored: its values are nested more than 256 deep"
    )
    await #expect(throws: failure) {
      try await store.save(Forest(id: 1, tree: Tree(depth: 127)))
    }
    #expect(try await store.model(Forest.self, id: 1) == forest)
  }

  @Test func `objects that refer to each other in a cycle are stored once each`() async throws {
    let store = ModelStore.temporary()
    let (first, second) = (Node(1), Node(2))
    first.next = second
    second.next = first

    let saved = try await store.save(first)

    #expect(saved.next?.id == 2)
    #expect(try await store.count(ModelQuery(Node.self)) == 2)
    #expect(try await store.model(Node.self, id: 2)?.next?.id == 1)
    first.next = nil
  }
}
