import Foundation
import Freshet
import FreshetModels
import FreshetTesting
import Testing

/// What is missing deep inside of what is read, and what circles leave out.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ModelGapTests {
  struct Author: PersistableModel, Hashable {
    static let modelName = "Author"
    let id: Int
  }

  struct Post: PersistableModel, Hashable {
    static let modelName = "Post"
    let id: Int
    var author: Author
  }

  struct Thread: PersistableModel, Hashable {
    static let modelName = "Thread"
    let id: Int
    var posts: [Post] = []
    var maybe: [Post?] = []
    var nested: [[Post]] = []
    var pinned: Set<Post> = []
    var byName: [String: Post] = [:]
    var byNumber: [Int: Post] = [:]
    var byKind: [Kind: Post] = [:]
    var best: Post?
  }

  enum Kind: String, Codable, Hashable, CaseIterable {
    case new
    case old
    case odd
  }

  private func thread(_ posts: [Post]) -> Thread {
    Thread(
      id: 1,
      posts: posts,
      maybe: posts,
      nested: [posts, posts],
      pinned: Set(posts),
      byName: Dictionary(uniqueKeysWithValues: posts.map { ("\($0.id)", $0) }),
      byNumber: Dictionary(uniqueKeysWithValues: posts.map { ($0.id, $0) }),
      byKind: Dictionary(uniqueKeysWithValues: posts.map { (Kind.allCases[$0.id - 1], $0) }),
      best: posts.first
    )
  }

  @Test(arguments: StorePlace.allCases)
  func `an element whose author was deleted is a gap, not the end of its list`(
    place: StorePlace
  ) async throws {
    let store = place.make()
    let posts = (1...3).map { Post(id: $0, author: Author(id: $0)) }
    let whole = thread(posts)
    #expect(try await store.save(whole) == whole)

    try await store.delete(Author.self, id: 2)

    var expected = thread([posts[0], posts[2]])
    expected.best = posts[0]
    #expect(try await store.model(Thread.self, id: 1) == expected)
    #expect(try await store.models(ModelQuery(Thread.self)) == [expected])

    try await store.save(Author(id: 2))
    #expect(try await store.model(Thread.self, id: 1) == whole)
    try await store.delete(Author.self, id: 1)
    #expect(try await store.model(Thread.self, id: 1)?.best == nil)
    for id in 2...3 { try await store.delete(Author.self, id: id) }
    let empty = try #require(try await store.model(Thread.self, id: 1))
    #expect(empty == Thread(id: 1, nested: [[], []]))
  }

  @Test func `a dictionary with enumeration keys loses only the deleted entry`()
    async throws
  {
    let store = ModelStore.temporary()
    let posts = (1...3).map { Post(id: $0, author: Author(id: $0)) }
    try await store.save(thread(posts))

    for (gone, left) in [(1, Set([2, 3])), (3, [2]), (2, [])] {
      try await store.delete(Post.self, id: gone)
      let found = try #require(try await store.model(Thread.self, id: 1))
      #expect(Set(found.byKind.values.map(\.id)) == left)
      for (kind, post) in found.byKind { #expect(Kind.allCases[post.id - 1] == kind) }
      #expect(try await store.models(ModelQuery(Thread.self)) == [found])
    }
  }

  struct Team: PersistableModel, Hashable {
    static let modelName = "Team"
    let id: Int
    var name = ""
    var members: [Kind: Member] = [:]
  }

  struct Member: PersistableModel, Hashable {
    static let modelName = "Member"
    let id: Int
    var name = ""
    var teams: [Kind: Team] = [:]
  }

  @Test func `a cycle through such a dictionary is saved and kept`() async throws {
    let store = ModelStore.temporary()
    let members = (1...2).map { Member(id: $0, teams: [.odd: Team(id: 1)]) }
    let team = Team(id: 1, members: [.new: members[0], .old: members[1]])
    try await store.save(team)
    for member in members {
      try await store.save(Member(id: member.id, teams: [.odd: team]))
    }

    var read = try #require(try await store.model(Member.self, id: 1))
    #expect(read.teams[.odd]?.members.keys.map(\.self) == [.old])
    read.name = "changed"
    try await store.save(read)

    let found = try #require(try await store.model(Team.self, id: 1))
    #expect(found.members.mapValues(\.id) == [.new: 1, .old: 2])
    #expect(found.members[.new]?.name == "changed")
    #expect(try await store.model(Member.self, id: 2)?.teams.mapValues(\.id) == [.odd: 1])
  }

  @Test func `an observed model is nil while its author is deleted, and comes back`() async throws {
    let store = ModelStore.temporary()
    let post = Post(id: 1, author: Author(id: 1))
    try await store.save(post)
    var observed = store.observe(Post.self, id: 1).makeAsyncIterator()
    #expect(try await observed.next() == post)

    try await store.delete(Author.self, id: 1)
    #expect(try await observed.next() == .some(nil))
    try await store.save(Author(id: 1))
    #expect(try await observed.next() == post)
  }

  // MARK: - Circles

  struct Node: PersistableModel, Hashable {
    static let modelName = "Node"
    let id: Int
    var text = ""
    var links: [Node] = []
  }

  /// A node with links to nodes that are left as they are.
  struct Links: PersistableModel, Hashable {
    static let modelName = "Node"
    let id: Int
    var text = ""
    var links: [Link]

    init(_ id: Int, _ links: [Int]) { (self.id, self.links) = (id, links.map(Link.init)) }
  }

  struct Link: PersistableModel, Hashable {
    static let modelName = "Node"
    let id: Int
  }

  @Test(arguments: [[3, 1, 4], [1, 3, 4], [3, 4, 1]])
  func `back references keep their position`(links: [Int]) async throws {
    let store = ModelStore.temporary()
    try await store.save([Links(2, links), Links(1, [2]), Links(3, []), Links(4, [])])

    var node = try #require(try await store.model(Node.self, id: 1))
    #expect(node.links.first?.links.map(\.id) == [3, 4])
    node.links[0].text = "changed"
    try await store.save(node)

    let found = try #require(try await store.model(Links.self, id: 2))
    #expect(found.text == "changed")
    #expect(found.links.map(\.id) == links)
  }

  private func depth(_ node: Node) -> Int { 1 + (node.links.map(depth).max() ?? 0) }

  @Test func `a chain is complete in a query that also finds a dense graph`() async throws {
    let store = ModelStore.temporary()
    let web = Array(1...40)
    try await store.save(web.map { id in Links(id, web.filter { $0 != id }) })
    let chain = (100...120).map { Links($0, $0 < 120 ? [$0 + 1] : []) }
    try await store.save(chain)

    let found = try await store.models(ModelQuery(Node.self))

    #expect(found.count == 61)
    let first = try #require(found.first { $0.id == 100 })
    #expect(depth(first) == 21)
    #expect(try await store.model(Node.self, id: 100) == first)
  }
}
