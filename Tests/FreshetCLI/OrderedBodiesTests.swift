import Foundation
import Freshet
import Testing

@testable import FreshetCLI

@Suite struct OrderedBodiesTests {
  private func body(_ count: Int = 1) -> ResourceBody {
    ResourceBody(Data(repeating: 1, count: count))
  }

  /// The places that are due now.
  private func due(_ bodies: inout OrderedBodies) -> [Int] {
    var places: [Int] = []
    while let due = bodies.takeDue() { places.append(due.place) }
    return places
  }

  @Test func `writes bodies in the order of their positions`() {
    var bodies = OrderedBodies()

    bodies.end(2, body: body())
    bodies.end(1)
    #expect(due(&bodies) == [])
    bodies.end(0, body: body())

    #expect(due(&bodies) == [0, 1, 2])
    #expect(due(&bodies) == [])
  }

  @Test func `is full when many wait for a running one`() {
    var bodies = OrderedBodies()
    bodies.start(0)

    for place in 1..<OrderedBodies.countLimit { bodies.end(place) }
    #expect(!bodies.isFull)
    bodies.end(OrderedBodies.countLimit)
    #expect(bodies.isFull)
    bodies.end(0)

    #expect(due(&bodies).count == OrderedBodies.countLimit + 1)
    #expect(!bodies.isFull)
  }

  @Test func `is full when the waiting bodies are large`() {
    var bodies = OrderedBodies()
    bodies.start(0)

    for place in 1...32 {
      #expect(!bodies.isFull)
      bodies.end(place, body: body(1 << 20))
    }
    #expect(bodies.isFull)
    bodies.end(0)

    #expect(due(&bodies).count == 33)
    #expect(!bodies.isFull)
  }

  @Test func `is not full while the next one has not been started`() {
    var bodies = OrderedBodies()

    for place in 1...2 * OrderedBodies.countLimit { bodies.end(place) }
    #expect(!bodies.isFull)
    bodies.start(0)

    #expect(bodies.isFull)
  }
}
