/// A first-in, first-out queue, with constant time for adding and removing.
struct Queue<Element> {
  private var storage: [Element?] = []
  private var head = 0

  init() {}

  var count: Int { storage.count - head }
  var isEmpty: Bool { count == 0 }
  var first: Element? { isEmpty ? nil : storage[head] }

  mutating func append(_ element: consuming Element) {
    storage.append(element)
  }

  mutating func popFirst() -> Element? {
    guard !isEmpty else { return nil }
    let element = storage[head].take()
    head += 1
    if head == storage.count {
      storage.removeAll(keepingCapacity: head <= 1_024)
      head = 0
    } else if head > 64, head > count {
      storage.removeFirst(head)
      head = 0
    }
    return element
  }

  /// Changes the element at an offset from the first one.
  mutating func update(at place: Int, _ element: Element) {
    storage[head + place] = element
  }

  mutating func removeAll() {
    storage = []
    head = 0
  }

  mutating func removeAll(where isRemoved: (Element) -> Bool) {
    let kept = storage[head...].filter { element in element.map { !isRemoved($0) } ?? false }
    storage = kept
    head = 0
  }

  /// Inserts an element before the first one for which the closure holds.
  mutating func insert(_ element: Element, before isLater: (Element) -> Bool) {
    let place = storage[head...].firstIndex { $0.map(isLater) ?? false } ?? storage.endIndex
    storage.insert(element, at: place)
  }
}

extension Queue: Sendable where Element: Sendable {}
