/// Numbers of which the least is first, with logarithmic time for adding and removing one.
struct MinHeap: Sendable {
  private var numbers: [Int] = []

  var count: Int { numbers.count }
  var first: Int? { numbers.first }

  mutating func insert(_ number: Int) {
    var place = numbers.count
    numbers.append(number)
    while place > 0, numbers[(place - 1) / 2] > number {
      numbers[place] = numbers[(place - 1) / 2]
      place = (place - 1) / 2
    }
    numbers[place] = number
  }

  mutating func removeFirst() {
    guard let last = numbers.popLast(), !numbers.isEmpty else { return }
    var place = 0
    while true {
      var child = 2 * place + 1
      if child + 1 < numbers.count, numbers[child + 1] < numbers[child] { child += 1 }
      guard child < numbers.count, numbers[child] < last else { break }
      numbers[place] = numbers[child]
      place = child
    }
    numbers[place] = last
  }

  /// Removes equal numbers but one, and those for which the closure returns `false`.
  mutating func keep(where isKept: (Int) -> Bool) {
    var last: Int?
    // In ascending order, they are a heap.
    numbers = numbers.sorted()
      .filter { number in
        defer { last = number }
        return number != last && isKept(number)
      }
  }
}
