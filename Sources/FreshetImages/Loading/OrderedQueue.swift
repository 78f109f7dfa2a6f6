/// A queue of unique elements, with amortised constant time for all operations.
struct OrderedQueue<Element: Hashable> {
  private struct Place {
    let number: Int
    let element: Element
  }

  /// The elements in order, some of which were removed.
  private var line: [Place] = []
  /// The index of the first element that may be left.
  private var head = 0
  private var numbers: [Element: Int] = [:]
  private var nextNumber = 0

  var count: Int { numbers.count }

  /// Appends an element, unless it is already waiting.
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

  /// Compacts the array once most of its elements were removed.
  private mutating func closeGaps() {
    guard line.count > 2 * numbers.count + 16 else { return }
    line = line[head...].filter { numbers[$0.element] == $0.number }
    head = 0
  }
}
