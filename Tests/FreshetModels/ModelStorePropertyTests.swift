import Foundation
import Freshet
import FreshetModels
import FreshetTesting
import TestSupport
import Testing

/// A model store, against a dictionary of what was saved last.
@Suite(.serialized) struct ModelStorePropertyTests {
  enum Operation: Sendable {
    case save([Person])
    case delete(Int)
    case deleteNamed(String)
    case transaction([Person], deleting: Int, throwing: Bool)
    case find(Int)
    case query(String)
    case removeAll
    case reopen

    static func random(_ generator: inout SeededGenerator) -> Operation {
      let id = Int.random(in: 0..<6, using: &generator)
      let name = "n\(Int.random(in: 0..<3, using: &generator))"
      switch Int.random(in: 0..<20, using: &generator) {
      case 0..<6: return .save(people(&generator))
      case 6..<8: return .delete(id)
      case 8: return .deleteNamed(name)
      case 9..<13:
        let isThrowing = Bool.random(using: &generator)
        return .transaction(people(&generator), deleting: id, throwing: isThrowing)
      case 13..<15: return .find(id)
      case 15..<18: return .query(name)
      case 18: return .reopen
      default: return Int.random(in: 0..<3, using: &generator) == 0 ? .removeAll : .reopen
      }
    }

    private static func people(_ generator: inout SeededGenerator) -> [Person] {
      (0..<Int.random(in: 1..<4, using: &generator))
        .map { _ in
          .sample(
            Int.random(in: 0..<6, using: &generator),
            name: "n\(Int.random(in: 0..<3, using: &generator))",
            followers: Int.random(in: 0..<100, using: &generator)
          )
        }
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `behaves like a dictionary for any saves, deletions, errors and reopenings`()
    async
  {
    let property = Property(runs: 8, length: 40, operation: Operation.random) { operations in
      do {
        return try await TemporaryDirectory.scope { directory in
          let place = directory.file("models")
          var mirror = Mirror(open: { ModelStore(directory: place) })
          return await mirror.problem(operations)
        }
      } catch {
        return "\(error)"
      }
    }

    if let failure = await property.failure() { Issue.record("\(failure)") }
  }

  /// What a model store must have after some operations.
  private struct Mirror {
    let open: () -> ModelStore
    var store: ModelStore
    var known: [Int: Person] = [:]

    init(open: @escaping () -> ModelStore) {
      self.open = open
      store = open()
    }

    mutating func problem(_ operations: [Operation]) async -> String? {
      var problem: String?
      for operation in operations where problem == nil {
        do {
          problem = try await apply(operation)
        } catch {
          problem = "\(operation) failed: \(error)"
        }
      }
      await store.close()
      return problem
    }

    private mutating func apply(_ operation: Operation) async throws(FreshetError) -> String? {
      switch operation {
      case .save(let people):
        try await store.save(people)
        keep(people)
      case .delete(let id):
        try await store.delete(Person.self, id: id)
        known[id] = nil
      case .deleteNamed(let name):
        let count = try await store.delete(ModelQuery(Person.self).where(\.name, is: name))
        let named = known.values.filter { $0.name == name }
        for person in named { known[person.id] = nil }
        if count != named.count { return "\(count) were deleted instead of \(named.count)" }
      case .transaction(let people, let id, let isThrowing):
        return try await change(people, id, isThrowing)
      case .find(let id):
        let found = try await store.model(Person.self, id: id)
        return found == known[id] ? nil : "\(id) is \(String(describing: found))"
      case .query(let name):
        let found = try await store.models(ModelQuery(Person.self).where(\.name, is: name))
        let right = known.values.filter { $0.name == name }
        return Set(found) == Set(right) && found.count == right.count ? nil : "\(name): \(found)"
      case .removeAll:
        try await store.removeAll()
        known = [:]
      case .reopen:
        await store.close()
        store = open()
      }
      return try await difference()
    }

    /// It sees its own changes, and if it throws nobody else does.
    private mutating func change(
      _ people: [Person],
      _ id: Int,
      _ isThrowing: Bool
    ) async throws(FreshetError) -> String? {
      let before = known
      keep(people)
      known[id] = nil
      let inside = known
      do throws(FreshetError) {
        let isRight = try await store.transaction { transaction throws(FreshetError) in
          for person in people { try transaction.save(person) }
          try transaction.delete(Person.self, id: id)
          var found: [Int: Person] = [:]
          for id in 0..<6 { found[id] = try transaction.model(Person.self, id: id) }
          if isThrowing { throw .cancelled }
          return found == inside
        }
        if isThrowing { return "what it threw was lost" }
        if !isRight { return "it does not see its own changes" }
      } catch {
        guard isThrowing, error == .cancelled else { throw error }
        known = before
      }
      return try await difference()
    }

    private func difference() async throws(FreshetError) -> String? {
      let found = try await store.models(ModelQuery(Person.self))
      let right = Set(known.values)
      return Set(found) == right && found.count == right.count
        ? nil : "there are \(found) instead of \(right)"
    }

    private mutating func keep(_ people: [Person]) {
      for person in people { known[person.id] = person }
    }
  }
}
