import Foundation
import Freshet
import FreshetModels

struct BenchTweet: PersistableModel, Equatable {
  static let modelName = "Tweet"
  static let indexes = [ModelIndex(\BenchTweet.created, "created")]
  let id: Int
  var text: String
  var created: Double
  var likes: Int
  var user: BenchUser
}

struct BenchUser: PersistableModel, Equatable {
  static let modelName = "User"
  let id: Int
  var name: String
  var about: String
}

/// Writing, reading and observing models; each tweet has a user, who is stored as himself.
extension Catalogue {
  static let models: [Benchmark] = [
    saves("model-save", of: 1, tasks: 1, count: 4_000),
    saves("model-save-16-tasks", of: 1, tasks: 16, count: 8_000),
    saves("model-save-arrays-of-100", of: 100, tasks: 1, count: 100),
    modelRead, modelQuery, modelObserve,
  ]

  private static func tweet(_ id: Int, likes: Int = 0) -> BenchTweet {
    BenchTweet(
      id: id,
      text: "A tweet with the number \(id) that says what somebody has to say about water today",
      created: Double(id),
      likes: likes,
      user: BenchUser(id: id % 50, name: "User \(id % 50)", about: "Lives by a river, and fishes")
    )
  }

  private static func saves(_ name: String, of size: Int, tasks: Int, count: Int) -> Benchmark {
    Benchmark(name: name, unit: .rate, count: count) { world, _ in
      let folder = world.newFolder("models")
      let models = ModelStore(directory: folder.appending(path: "models"))
      // Saving what is stored already would write nothing: each time, something is new.
      @Sendable func batch(_ index: Int) -> [BenchTweet] {
        let likes = Int.random(in: 0..<1_000_000)
        return (0..<size).map { tweet((index * size + $0) % 10_000, likes: likes) }
      }
      var contenders = [
        Contender(name: "freshet") { count, _ in
          try await Workers.run(count, tasks: tasks) { try await models.save(batch($0)) }
        }
      ]
      #if !canImport(Darwin)
      // The first use makes the folder.
      try await models.save(batch(0))
      let database = try HandWrittenModels(folder.appending(path: "hand.sqlite").path)
      contenders.append(
        Contender(name: "SQLite by hand") { count, _ in
          for index in 0..<count { try database.save(batch(index)) }
        }
      )
      #endif
      return contenders
    }
  }

  private static let modelRead = Benchmark(
    name: "model-read",
    unit: .rate,
    count: 40_000
  ) { world, _ in
    let (folder, models, tweets) = try await filled(world)
    var contenders = [
      Contender(name: "freshet") { count, _ in
        for index in 0..<count {
          let id = index &* 7919 % tweets.count
          guard try await models.model(BenchTweet.self, id: id) == tweets[id] else {
            throw BenchError("not the same")
          }
        }
      }
    ]
    #if !canImport(Darwin)
    let database = try HandWrittenModels(folder.appending(path: "hand.sqlite").path)
    try database.save(tweets)
    contenders.append(
      Contender(name: "SQLite by hand") { count, _ in
        for index in 0..<count {
          let id = index &* 7919 % tweets.count
          guard try database.tweet(id) == tweets[id] else { throw BenchError("not the same") }
        }
      }
    )
    #endif
    return contenders
  }

  private static let modelQuery = Benchmark(
    name: "model-query-newest-50",
    unit: .rate,
    count: 2_000
  ) { world, _ in
    let (folder, models, tweets) = try await filled(world)
    let newest = Array(tweets.suffix(50).reversed())
    let query = ModelQuery(BenchTweet.self).sorted(by: \.created, .descending).limit(50)
    var contenders = [
      Contender(name: "freshet") { count, _ in
        for _ in 0..<count {
          guard try await models.models(query) == newest else { throw BenchError("not the same") }
        }
      }
    ]
    #if !canImport(Darwin)
    let database = try HandWrittenModels(folder.appending(path: "hand.sqlite").path)
    try database.save(tweets)
    contenders.append(
      Contender(name: "SQLite by hand") { count, _ in
        for _ in 0..<count {
          guard try database.newest(50) == newest else { throw BenchError("not the same") }
        }
      }
    )
    #endif
    return contenders
  }

  /// A change, and the observer has it.
  private static let modelObserve = Benchmark(
    name: "model-observe",
    unit: .rate,
    count: 4_000
  ) { world, _ in
    let (folder, models, tweets) = try await filled(world)
    var contenders = [
      Contender(name: "freshet") { count, _ in
        var observed = models.observe(BenchTweet.self, id: 1).makeAsyncIterator()
        let before = try await observed.next().flatMap(\.self)?.likes ?? 0
        for likes in before + 1...before + count {
          try await models.save(tweet(1, likes: likes))
          guard try await observed.next().flatMap(\.self)?.likes == likes else {
            throw BenchError("not the change")
          }
        }
      }
    ]
    #if !canImport(Darwin)
    let database = try HandWrittenModels(folder.appending(path: "hand.sqlite").path)
    try database.save(tweets)
    contenders.append(
      Contender(name: "SQLite by hand") { count, _ in
        let before = try database.tweet(1)?.likes ?? 0
        for likes in before + 1...before + count {
          try database.save([tweet(1, likes: likes)])
          guard try database.changedTweet()?.likes == likes else {
            throw BenchError("not the change")
          }
        }
      }
    )
    #endif
    return contenders
  }

  private static func filled(_ world: World) async throws -> (URL, ModelStore, [BenchTweet]) {
    let folder = world.newFolder("models")
    let models = ModelStore(directory: folder.appending(path: "models"))
    let tweets = (0..<max(100, world.options.count(10_000))).map { tweet($0) }
    try await models.save(tweets)
    return (folder, models, tweets)
  }
}
