import Synchronization
import Testing

@testable import Freshet

@Suite struct LazyReferenceTests {
  private final class Thing: Sendable {
    let number: Int
    private let ended: Ended

    init(_ number: Int, _ ended: Ended) {
      self.number = number
      self.ended = ended
    }

    deinit { ended.count.add(1, ordering: .relaxed) }
  }

  private final class Ended: Sendable {
    let count = Atomic(0)
  }

  private final class Holder: Sendable {
    let thing = LazyReference<Thing>()
  }

  @Test func `is empty at first`() {
    #expect(Holder().thing.load() == nil)
  }

  @Test func `keeps the first object until its own end`() {
    let ended = Ended()
    var holder: Holder? = Holder()

    #expect(holder?.thing.storeIfNil(Thing(1, ended)).number == 1)
    #expect(holder?.thing.storeIfNil(Thing(2, ended)).number == 1)
    #expect(holder?.thing.load()?.number == 1)
    #expect(ended.count.load(ordering: .relaxed) == 1)

    holder = nil
    #expect(ended.count.load(ordering: .relaxed) == 2)
  }

  @Test func `is the same for concurrent callers`() async {
    let ended = Ended()
    let holder = Holder()

    let numbers = await withTaskGroup { group in
      for number in 0..<64 {
        group.addTask {
          holder.thing.load()?.number ?? holder.thing.storeIfNil(Thing(number, ended)).number
        }
      }
      return await group.reduce(into: Set()) { $0.insert($1) }
    }

    #expect(numbers.count == 1)
    #expect(holder.thing.load().map { numbers.contains($0.number) } == true)
  }
}
