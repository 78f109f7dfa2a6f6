/// What waits, each once, in the order in which it came; every step costs the same on average, however
/// many wait.
struct WaitingLine<Element: Hashable> {
  private struct Place {
    let number: Int
    let element: Element
  }

  /// The places in their order, some of which were left.
  private var line: [Place] = []
  /// Before it there is nobody.
  private var head = 0
  private var numbers: [Element: Int] = [:]
  private var nextNumber = 0

  var count: Int { numbers.count }

  /// Takes the last place, unless it waits already.
  mutating func append(_ element: Element) {
    guard numbers[element] == nil else { return }
    numbers[element] = nextNumber
    line.append(Place(number: nextNumber, element: element))
    nextNumber += 1
  }

  mutating func removeFirst() -> Element? {
    while head < line.count {
      let place = line[head]
      head += 1
      guard numbers[place.element] == place.number else { continue }
      numbers[place.element] = nil
      closeGaps()
      return place.element
    }
    closeGaps()
    return nil
  }

  mutating func remove(_ element: Element) {
    numbers[element] = nil
    closeGaps()
  }

  /// Forgets the places that were left once they are most of the line.
  private mutating func closeGaps() {
    guard line.count > 2 * numbers.count + 16 else { return }
    line = line[head...].filter { numbers[$0.element] == $0.number }
    head = 0
  }
}
