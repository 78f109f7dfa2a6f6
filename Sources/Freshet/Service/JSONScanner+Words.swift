import FreshetEssentials

extension JSONScanner {
  /// Finds the only occurrence of a number, `true`, `false` or `null` in exactly this notation.
  ///
  /// - Parameters:
  ///   - word: The number or the word.
  ///   - step: The first step of the path, or `nil` for any.
  ///   - data: The text.
  /// - Returns: Its path; `nil` if it does not occur or occurs again, or if the data is not JSON.
  static func place(of word: String, below step: String?, in data: Data) -> PayloadPath? {
    try? scan(data) { (scanner) throws(Fault) -> PayloadPath? in
      var search = WordSearch(word: word, first: step)
      try scanner.find(&search)
      return search.place
    }
  }

  private mutating func find(_ search: inout WordSearch) throws(Fault) {
    repeat {
      skipSpace()
      switch peek {
      case _ where isElsewhere(search):
        try skipValue()
      case UInt8(ascii: "{"):
        if try beginObject() {
          search.path.append(.key(try takeKey()))
          continue
        }
      case UInt8(ascii: "["):
        if try beginArray() {
          search.path.append(.position(0))
          continue
        }
      default:
        try compare(try skippedValue(), &search)
      }
      try advance(&search.path)
    } while !search.path.isEmpty
  }

  private func isElsewhere(_ search: WordSearch) -> Bool {
    guard search.path.count == 1, let first = search.first else { return false }
    return text(of: search.path[0]) != first
  }

  private func compare(
    _ value: Slice<UnsafeBufferPointer<UInt8>>,
    _ search: inout WordSearch
  ) throws(Fault) {
    guard search.isOpen, value.elementsEqual(search.word.utf8) else { return }
    // Two places are as little use as none, so the rest need not be read.
    guard search.place == nil else { throw Fault(offset: 0, reason: "the word occurs again") }
    search.place = PayloadPath(steps: search.path.map { text(of: $0) })
  }

  /// Goes from a value that has ended to the next one, or to the end of all.
  private mutating func advance(_ path: inout [WordSearch.Step]) throws(Fault) {
    while let step = path.popLast() {
      guard try hasNext() else { continue }
      switch step {
      case .key: path.append(.key(try takeKey()))
      case .position(let position): path.append(.position(position + 1))
      }
      return
    }
  }

  private func text(of step: WordSearch.Step) -> String {
    switch step {
    case .key(let range): text(ofKeyAt: range)
    case .position(let position): "\(position)"
    }
  }
}

/// A search for the only occurrence of a word.
private struct WordSearch {
  enum Step {
    /// A key by its range: few of them become text.
    case key(Range<Int>)
    case position(Int)
  }

  let word: String
  /// The first step of the path, if not any.
  let first: String?
  /// The steps to the value that is being read.
  var path: [Step] = []
  var place: PayloadPath?

  /// A Boolean value that indicates whether a word at this path counts.
  var isOpen: Bool { first == nil || !path.isEmpty }
}
