/// A check for misspelt words.
enum Spelling {
  /// Returns a Boolean value that indicates whether the word begins the other one, or differs from
  /// it by at most two letters.
  static func isNear(_ word: String, _ other: String) -> Bool {
    guard !word.isEmpty else { return false }
    return other.hasPrefix(word) || distance(word, other) <= min(2, other.count / 2)
  }

  /// Returns the word of a list that another is a slip of, the nearest if there are several.
  static func nearest(to word: String, in words: [String]) -> String? {
    words.filter { isNear(word, $0) }.min { distance(word, $0) < distance(word, $1) }
  }

  /// Returns the number of letters that have to be added, removed or replaced.
  private static func distance(_ left: String, _ right: String) -> Int {
    let right = Array(right)
    var row = Array(0...right.count)
    for (index, letter) in left.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for place in right.indices {
        let replaced = diagonal + (right[place] == letter ? 0 : 1)
        diagonal = row[place + 1]
        row[place + 1] = min(replaced, min(row[place], diagonal) + 1)
      }
    }
    return row[right.count]
  }
}
