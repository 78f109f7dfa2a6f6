import Foundation
import Freshet
import FreshetModels
import Testing

@Suite(.serialized) struct ModelCodingTests {
  enum Shape: Codable, Hashable {
    case point
    case circle(radius: Double)
    case box(width: Int, height: Int)
  }

  struct Everything: PersistableModel, Hashable {
    static let modelName = "Everything"
    let id: Int
    var flag = true
    var small: Int8 = -128
    var large: Int64 = .min
    var huge: UInt64 = .max
    var short: UInt16 = .max
    var float: Float = 0.1
    var double = -1.5e300
    var text = "grüß \u{0} 🌊"
    var data = Data([0, 255, 1])
    var date = Date(timeIntervalSinceReferenceDate: 123_456.789)
    var url = URL(string: "https://example.org/a?b=c#d")
    var uuid = UUID()
    var decimal = Decimal(string: "12345.678901234567890123")
    var none: String?
    var some: Int? = 4
    var list = [[1, 2], [], [3]]
    var optionals: [Int?] = [1, nil, 3]
    var map = ["b": 1, "a": 2, "long key of more than fifteen bytes": 3]
    var numbers = [3: "three", 1: "one"]
    var set: Set<String> = ["x", "y", "z"]
    var shapes: [Shape] = [.point, .circle(radius: 2), .box(width: 1, height: 2)]
    var range = 1..<5
    var bytes: [UInt8] = [1, 2, 3]
  }

  @Test func `any Codable value is restored`() async throws {
    let store = ModelStore.temporary()
    let everything = Everything(id: 1)

    let saved = try await store.save(everything)

    #expect(saved == everything)
    #expect(try await store.model(Everything.self, id: 1) == everything)
  }

  final class Animal: PersistableModel {
    static let modelName = "Animal"
    let id: Int
    let parts: [String: Int]

    init(id: Int, parts: [String: Int]) {
      self.id = id
      self.parts = parts
    }

    enum CodingKeys: CodingKey { case identity, nested }
    enum NestedKeys: CodingKey { case parts }
    enum IdentityKeys: CodingKey { case id }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      let nested = try container.nestedContainer(keyedBy: NestedKeys.self, forKey: .nested)
      parts = try nested.decode([String: Int].self, forKey: .parts)
      let identity = try container.superDecoder(forKey: .identity)
      id = try identity.container(keyedBy: IdentityKeys.self).decode(Int.self, forKey: .id)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      // The parent goes on while its child is open.
      var nested = container.nestedContainer(keyedBy: NestedKeys.self, forKey: .nested)
      var identity = container.superEncoder(forKey: .identity)
        .container(keyedBy: IdentityKeys.self)
      try nested.encode(parts, forKey: .parts)
      try identity.encode(id, forKey: .id)
    }
  }

  @Test func `nested containers and super encoders work, for classes too`() async throws {
    let store = ModelStore.temporary()
    try await store.save(Animal(id: 3, parts: ["legs": 4]))

    let animal = try #require(try await store.model(Animal.self, id: 3))

    #expect(animal.id == 3)
    #expect(animal.parts == ["legs": 4])
  }

  struct Split: PersistableModel, Hashable {
    static let modelName = "Split"
    let id: Int
    var x: Int
    var y: Int
    var list: [Int]

    enum CodingKeys: CodingKey { case id, attributes, list }
    enum Keys: CodingKey { case x }
    enum OtherKeys: CodingKey { case y }

    init(id: Int, x: Int, y: Int, list: [Int]) {
      (self.id, self.x, self.y, self.list) = (id, x, y, list)
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      id = try container.decode(Int.self, forKey: .id)
      x = try container.nestedContainer(keyedBy: Keys.self, forKey: .attributes)
        .decode(Int.self, forKey: .x)
      y = try container.nestedContainer(keyedBy: OtherKeys.self, forKey: .attributes)
        .decode(Int.self, forKey: .y)
      list = try container.decode([Int].self, forKey: .list)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(id, forKey: .id)
      var keyed = container.nestedContainer(keyedBy: Keys.self, forKey: .attributes)
      try keyed.encode(x, forKey: .x)
      var other = container.nestedContainer(keyedBy: OtherKeys.self, forKey: .attributes)
      try other.encode(y, forKey: .y)
      for number in list {
        var unkeyed = container.nestedUnkeyedContainer(forKey: .list)
        try unkeyed.encode(number)
      }
    }
  }

  @Test func `a nested container that is begun twice has the values of both`() async throws {
    let store = ModelStore.temporary()
    let split = Split(id: 1, x: 1, y: 2, list: [3, 4])

    try await store.save(split)

    #expect(try await store.model(Split.self, id: 1) == split)
  }

  struct Measured: PersistableModel {
    static let modelName = "Measured"
    let id: Int
    var value: Double
  }

  struct Counted: PersistableModel {
    static let modelName = "Measured"
    let id: Int
    var value: Int8
  }

  @Test func `a number of another type is read if it fits`() async throws {
    let store = ModelStore.temporary()
    try await store.save(Counted(id: 1, value: 4))
    #expect(try await store.model(Measured.self, id: 1)?.value == 4)

    try await store.save(Measured(id: 2, value: 1_000))
    await #expect(
      throws: FreshetError.store(
        "a Measured cannot be read: a value of another type is stored at 'value'"
      )
    ) {
      try await store.model(Counted.self, id: 2)
    }
  }

  @Test func `a number of 128 bits is a typed failure`() async throws {
    struct Wide: PersistableModel {
      static let modelName = "Wide"
      let id: Int
      var number: Int128
    }
    struct WideList: PersistableModel {
      static let modelName = "WideList"
      let id: Int
      var numbers: [UInt128]
    }
    struct Narrow: PersistableModel {
      static let modelName = "Wide"
      let id: Int
      var number: Int
    }
    let store = ModelStore.temporary()

    await #expect { try await store.save(Wide(id: 1, number: 5)) } throws: { error in
      "\(error)".contains("Wide cannot be stored")
    }
    await #expect { try await store.save(WideList(id: 1, numbers: [5])) } throws: { error in
      "\(error)".contains("WideList cannot be stored")
    }
    try await store.save(Narrow(id: 1, number: 5))
    await #expect { try await store.model(Wide.self, id: 1) } throws: { error in
      "\(error)".contains("Wide cannot be read")
    }
  }

  struct OneWay: PersistableModel {
    static let modelName = "OneWay"
    let id: Int
    var secret: String

    enum CodingKeys: CodingKey { case id, secret }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(id, forKey: .id)
      if secret != "forgotten" { try container.encode(secret, forKey: .secret) }
    }
  }

  @Test func `a model that cannot be read back replaces nothing`() async throws {
    let store = ModelStore.temporary()
    try await store.save(OneWay(id: 1, secret: "kept"))

    await #expect(
      throws: FreshetError.store(
        "a OneWay cannot be read: nothing is stored for its field at 'secret'"
      )
    ) {
      try await store.save(OneWay(id: 1, secret: "forgotten"))
    }

    #expect(try await store.model(OneWay.self, id: 1)?.secret == "kept")
  }

  struct Unwritable: PersistableModel {
    static let modelName = "Unwritable"
    let id: Int

    func encode(to encoder: any Encoder) throws {
      throw EncodingError.invalidValue(id, .init(codingPath: [], debugDescription: "no"))
    }
  }

  @Test func `a value that cannot be encoded is a typed failure`() async throws {
    let store = ModelStore.temporary()

    await #expect(throws: FreshetError.store("a Unwritable cannot be stored: no")) {
      try await store.save(Unwritable(id: 1))
    }
  }
}
