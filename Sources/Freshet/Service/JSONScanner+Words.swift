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
    skipSpace()
    switch peek {
    case UInt8(ascii: "{"):
      try forEachMember { (scanner, key) throws(Fault) in
        try scanner.find(&search, below: .key(key))
      }
    case UInt8(ascii: "["):
      var position = 0
      try forEachElement { (scanner) throws(Fault) in
        try scanner.find(&search, below: .position(position))
        position += 1
      }
    default:
      let value = try skippedValue()
      guard search.isOpen, value.elementsEqual(search.word.utf8) else { return }
      // Two places are as little use as none, so the rest need not be read.
      guard search.place == nil else { throw Fault(offset: 0, reason: "the word occurs again") }
      search.place = PayloadPath(steps: search.path.map { text(of: $0) })
    }
  }

  private mutating func find(
    _ search: inout WordSearch,
    below step: WordSearch.Step
  ) throws(Fault) {
    if search.path.isEmpty, let first = search.first, text(of: step) != first {
      _ = try skippedValue()
      return
    }
    search.path.append(step)
    try find(&search)
    search.path.removeLast()
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
