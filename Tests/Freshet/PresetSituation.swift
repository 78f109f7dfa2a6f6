import Foundation
import Freshet
import FreshetTesting
import Testing

/// What is stored, asked for and answered when a preset is compared with its stages.
struct PresetSituation: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// The `Cache-Control` of the copy in a store; `nil` for none there.
  var memory: String?
  var disk: String?
  var seed: String?
  /// How old the copies are, in seconds.
  var age = 0
  var request: @Sendable (inout Request) -> Void = { _ in }
  var policy = ResourcePolicy()
  /// What the origin answers; a 304 unless told otherwise.
  var answers: [Answer] = [.same]

  enum Answer: Sendable {
    /// A 304.
    case same
    /// The value of before, in whole.
    case again
    case other
    case failure
  }

  init(
    _ name: String,
    memory: String? = nil,
    disk: String? = nil,
    seed: String? = nil,
    age: Int = 0,
    answers: [Answer] = [.same],
    policy: (inout ResourcePolicy) -> Void = { _ in },
    request: @escaping @Sendable (inout Request) -> Void = { _ in }
  ) {
    testDescription = name
    self.memory = memory
    self.disk = disk
    self.seed = seed
    self.age = age
    self.answers = answers
    self.policy = ResourcePolicy(policy)
    self.request = request
  }
}

extension PresetSituation {
  static let all = hits + misses + stales + policies + requests

  private static let hits = [
    PresetSituation("fresh in memory", memory: "max-age=60"),
    PresetSituation("fresh on disk", disk: "max-age=60"),
    PresetSituation("a seed", seed: "max-age=60"),
    PresetSituation("in memory and on disk", memory: "max-age=60", disk: "max-age=60"),
    PresetSituation("stale in memory, fresh on disk", memory: "max-age=0", disk: "max-age=60"),
    PresetSituation("in memory and a seed", memory: "max-age=60", seed: "max-age=60"),
    PresetSituation(
      "everywhere",
      memory: "max-age=9",
      disk: "max-age=9",
      seed: "max-age=9",
      age: 9
    ),
    PresetSituation("immutable", memory: "max-age=60, immutable", age: 59),
  ]

  private static let misses = [
    PresetSituation("nothing", answers: [.other]),
    PresetSituation("nothing, and the origin is down", answers: [.failure]),
    PresetSituation("nothing, offline") { $0.network = .forbidden },
    PresetSituation(
      "nothing, only if cached",
      request: { $0.headers[.cacheControl] = "only-if-cached" }
    ),
  ]

  private static let swr = "max-age=60, stale-while-revalidate=60"

  private static let stales = [
    PresetSituation("stale", memory: "max-age=60", age: 61),
    PresetSituation("stale, changed", memory: "max-age=60", age: 61, answers: [.other]),
    PresetSituation("stale, down", memory: "max-age=60", age: 61, answers: [.failure]),
    PresetSituation(
      "stale, down, must be validated",
      memory: "max-age=60, must-revalidate",
      age: 61,
      answers: [.failure]
    ),
    PresetSituation("no-cache", memory: "no-cache"),
    PresetSituation("stale while revalidating", memory: swr, age: 90),
    PresetSituation("stale while revalidating, changed", memory: swr, age: 90, answers: [.other]),
    PresetSituation("stale while revalidating, down", memory: swr, age: 90, answers: [.failure]),
    PresetSituation("a stale seed", seed: "max-age=60", age: 61),
    PresetSituation(
      "a stale seed, fresh in memory",
      memory: "max-age=99",
      seed: "max-age=60",
      age: 61
    ),
    PresetSituation("stale on disk", disk: "max-age=60", age: 61),
  ]
}

extension PresetSituation {
  private static let policies = [
    PresetSituation("never expires", memory: "max-age=60", age: 999) { $0.expiry = .never },
    PresetSituation("always expires", memory: "max-age=60") { $0.expiry = .always },
    PresetSituation("expires later", memory: "max-age=60", age: 61) {
      $0.expiry = .after(.seconds(62))
    },
    PresetSituation("stale for a while", memory: "max-age=60", age: 61) {
      $0.staleLimits.unvalidated = .seconds(2)
    },
    PresetSituation("announced", memory: "max-age=60", age: 61) { $0.stale = .beforeValidation },
    PresetSituation("withheld", memory: swr, age: 61) { $0.stale = .withheld },
    PresetSituation("not validated", memory: "max-age=60", age: 61, answers: [.other]) {
      $0.revalidation = .none
    },
    PresetSituation("compared by HEAD", memory: "max-age=60", age: 61, answers: [.again]) {
      $0.revalidation = .head
    },
    PresetSituation("offline, fresh", memory: "max-age=60") { $0.network = .forbidden },
    PresetSituation("offline, stale", memory: "max-age=60", age: 61) { $0.network = .forbidden },
    PresetSituation("offline, must be validated", memory: "no-cache") {
      $0.network = .forbidden
    },
    PresetSituation("the network only", memory: "max-age=60", disk: "max-age=60", answers: [.other])
    {
      $0.network = .required
    },
    PresetSituation("kept in memory only", disk: "max-age=60") { $0.persistence = .memoryOnly },
    PresetSituation("kept nowhere", disk: "max-age=60") { $0.persistence = .nowhere },
    PresetSituation("kept nowhere, changed", memory: "max-age=0", age: 1, answers: [.other]) {
      $0.persistence = .nowhere
    },
    PresetSituation("expected", memory: "max-age=60") {
      $0.expected = digest(of: PresetWorld.body)
    },
    PresetSituation("another one expected", memory: "max-age=60") {
      $0.expected = digest(of: Data("else".utf8))
    },
  ]

  private static let requests = [
    PresetSituation("a HEAD", memory: "max-age=60", request: { $0.method = .head }),
    PresetSituation(
      "a POST",
      memory: "max-age=60",
      answers: [.other],
      request: { $0.method = .post }
    ),
    asking("a range", [.range: "bytes=1-3"]),
    asking("a range that is not there", [.range: "bytes=900-"]),
    asking("a condition", [.ifNoneMatch: "\"v1\""]),
    asking("a reload", [.cacheControl: "no-cache"]),
    asking("a younger one", [.cacheControl: "max-age=5"]),
    asking("any stale one", [.cacheControl: "max-stale"], age: 100),
    asking("only if cached", [.cacheControl: "only-if-cached"]),
    asking("only if cached, stale", [.cacheControl: "only-if-cached"], age: 100),
  ]

  private static func digest(of data: Data) -> Checksum? {
    (try? ResourceBody(data).sha256()).map(Checksum.sha256)
  }

  private static func asking(_ name: String, _ headers: HTTPHeaders, age: Int = 10) -> Self {
    PresetSituation(
      name,
      memory: "max-age=60",
      disk: "max-age=60",
      age: age,
      answers: [.other],
      request: { $0.headers = headers }
    )
  }
}
