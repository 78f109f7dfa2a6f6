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

  /// Replaces the element at an offset from the first one, and returns the replaced one.
  @discardableResult
  mutating func update(at place: Int, _ element: consuming Element) -> Element? {
    exchange(&storage[head + place], with: element)
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
}

/// A queue whose elements are in ascending order.
extension Queue where Element: Comparable {
  /// Removes an element, if it is there.
  mutating func remove(_ element: Element) {
    let place = place(of: element)
    if place < storage.count, storage[place] == element { storage.remove(at: place) }
  }

  mutating func insert(_ element: Element) {
    storage.insert(element, at: place(of: element))
  }

  /// Returns the index of the first element that is not less.
  private func place(of element: Element) -> Int {
    var (low, high) = (head, storage.count)
    while low < high {
      let middle = (low + high) / 2
      if let other = storage[middle], other < element { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension Queue: Sendable where Element: Sendable {}
