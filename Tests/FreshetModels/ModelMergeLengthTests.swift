import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

@testable import FreshetModels

@Suite(.serialized) struct ModelMergeLengthTests {
  private func point(_ number: Int, extra: Bool) -> ModelValue {
    var fields: [String: ModelValue] = [
      "x": .integer(Int64(number)), "place": ["y": .integer(Int64(number))].asMap,
    ]
    if extra { fields["foreign"] = true }
    return .map(fields)
  }

  @Test func `a long list of structs is replaced in linear time`() throws {
    let count = 4_000
    let stored = (0..<count).map { point($0, extra: true) }
    var comparisons = 0

    // All of them changed, then none, in another order.
    for new in [(count..<2 * count).map { $0 }, (0..<count).reversed()] {
      let elements = new.map { point($0, extra: false) }
      var matches = ElementMatches(stored, for: elements) { _ in false }
      for element in elements {
        _ = matches.take(for: element) { other in
          comparisons += 1
          guard case .map(let fields) = element, case .map(let storedFields) = other else {
            return false
          }
          return fields.allSatisfy { storedFields[$0.key] == $0.value }
        }
      }
    }

    #expect(comparisons >= count)
    #expect(comparisons <= 2 * count)
  }

  @Test func `a long list of lists is replaced in linear time`() {
    let count = 4_000
    func list(_ number: Int) -> ModelValue {
      .list([.text("x"), .list([.integer(Int64(number))])])
    }
    let stored = (0..<count).map(list)
    var comparisons = 0

    for new in [(count..<2 * count).map { $0 }, (0..<count).reversed()] {
      let elements = new.map(list)
      var matches = ElementMatches(stored, for: elements) { _ in false }
      for element in elements {
        _ = matches.take(for: element) { other in
          comparisons += 1
          return element == other
        }
      }
    }

    #expect(comparisons >= count)
    #expect(comparisons <= 2 * count)
  }

  /// Looking for each key from the first one on would take the square of their number.
  @Test func `a large dictionary is merged in linear time`() throws {
    let time = { (count: Int) throws -> Duration in
      let fields = (0..<count).map { ("key \($0)", ModelValue.integer(Int64($0))) }
      let map = ModelValue.map(Dictionary(uniqueKeysWithValues: fields))
      let record = ModelRecord(map.encoded)
      let merge = ModelRecordMerge(stored: record, new: record, shape: [[]], path: [])
      var merged: [UInt8]?
      let time = try threadTime { merged = try merge.merged() }
      #expect(merged == nil)
      return time
    }

    let few = try time(1_000)
    let many = try time(16_000)

    #expect(many < few * 64 + .milliseconds(500), "\(many) beside \(few)")
  }

  struct Path: PersistableModel, Hashable {
    static let modelName = "Path"
    struct Point: Codable, Hashable {
      var x: Int
      var place: Place
      var note: String?
    }
    struct Place: Codable, Hashable {
      var y: Int
      var z: Int?
    }
    let id: Int
    var points: [Point]
  }

  struct OldPath: PersistableModel, Hashable {
    static let modelName = "Path"
    struct Point: Codable, Hashable {
      var x: Int
      var place: Place
    }
    struct Place: Codable, Hashable {
      var y: Int
    }
    let id: Int
    var points: [Point]
  }

  @Test func `elements of a long list keep unknown fields, also when nested`() async throws {
    let store = ModelStore.inMemory()
    let points = (0..<300)
      .map { Path.Point(x: $0 % 7, place: .init(y: $0, z: $0), note: "note \($0)") }
    try await store.save(Path(id: 1, points: points))

    var old = try #require(try await store.model(OldPath.self, id: 1))
    old.points.reverse()
    old.points[5].place.y = -1
    try await store.save(old)

    var expected = Array(points.reversed())
    expected[5] = .init(x: expected[5].x, place: .init(y: -1))
    let found = try #require(try await store.model(Path.self, id: 1))
    let isKept = found.points.elementsEqual(expected)
    #expect(isKept)
  }

  @Test func `an equal set is not written again`() async throws {
    struct Bag: PersistableModel {
      static let modelName = "Bag"
      struct Item: Codable, Hashable {
        var name: String
      }
      enum Key: String, Codable, CaseIterable {
        case first, second, third, fourth, fifth
      }
      let id: Int
      var numbers: Set<Int>
      var items: Set<Item>
      var table: [Key: Item]

      init(_ order: [Int]) {
        id = 1
        numbers = Set(minimumCapacity: order[0] * 50 + 300)
        items = Set(minimumCapacity: order[0] * 50 + 300)
        table = Dictionary(minimumCapacity: order[0] * 10 + 5)
        for number in order {
          numbers.insert(number)
          items.insert(Item(name: "\(number)"))
          if number < 5 { table[Key.allCases[number]] = Item(name: "\(number)") }
        }
      }
    }
    func bytes(_ bag: Bag) throws -> [[UInt8]] {
      let context = EncodingContext()
      _ = try context.add(bag)
      return context.records.map(\.bytes)
    }

    let first = try bytes(Bag(Array(0..<100)))
    #expect(try bytes(Bag((0..<100).reversed())) == first)
    #expect(try bytes(Bag((0..<100).map { ($0 * 37 + 11) % 100 })) == first)
    let store = ModelStore.temporary()
    for _ in 0..<2 { try await store.save(Bag(Array(0..<100))) }
    let log = try #require(store.directory).appending(path: "models.sqlite-wal")
    let before = try Data(contentsOf: log)
    let saved = try await store.save(Bag((0..<100).reversed()))
    #expect(saved.numbers.count == 100 && saved.items.count == 100 && saved.table.count == 5)
    let isUnchanged = try Data(contentsOf: log) == before
    #expect(isUnchanged)
    await store.close()
  }

  @Test func `a model that is an enumeration has one case`() async throws {
    enum Shape: PersistableModel, Hashable {
      static let modelName = "Shape"
      case circle(id: Int, radius: Int)
      case square(id: Int, side: Int)
      case star(id: Int, points: Int)

      var id: Int {
        switch self {
        case .circle(let id, _), .square(let id, _), .star(let id, _): id
        }
      }
    }
    enum OldShape: PersistableModel, Hashable {
      static let modelName = "Shape"
      case circle(id: Int, radius: Int)

      var id: Int {
        switch self {
        case .circle(let id, _): id
        }
      }
    }
    let store = ModelStore.inMemory()
    try await store.save(Shape.star(id: 1, points: 5))

    try await store.save(OldShape.circle(id: 1, radius: 2))

    #expect(try await store.model(Shape.self, id: 1) == .circle(id: 1, radius: 2))
  }
}

extension [String: ModelValue] {
  fileprivate var asMap: ModelValue { .map(self) }
}
