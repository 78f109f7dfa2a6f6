/// A queue of unique elements, with amortised constant time for all operations.
struct OrderedQueue<Element: Hashable> {
  private var elements: [Int: Element] = [:]
  private var numbers: [Element: Int] = [:]
  /// No element has a lower number.
  private var firstNumber = 0
  private var nextNumber = 0

  var count: Int { numbers.count }

  /// Appends an element, unless it is already waiting.
  mutating func append(_ element: Element) {
    guard numbers[element] == nil else { return }
    numbers[element] = nextNumber
    elements[nextNumber] = element
    nextNumber += 1
  }

  mutating func removeFirst() -> Element? {
    while firstNumber < nextNumber {
      defer { firstNumber += 1 }
      guard let element = elements.removeValue(forKey: firstNumber) else { continue }
      numbers[element] = nil
      return element
    }
    return nil
  }

  mutating func remove(_ element: Element) {
    guard let number = numbers.removeValue(forKey: element) else { return }
    elements[number] = nil
  }
}
