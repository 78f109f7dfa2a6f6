/// What the tests need of a shell.
enum Shell {
  /// The arguments of a command line without the command, up to where its output goes.
  static func words(_ line: String) -> [String] {
    var words: [String] = []
    var isQuoted = false
    var word: String?
    for character in line {
      switch character {
      case "'":
        isQuoted.toggle()
        word = word ?? ""
      case " " where !isQuoted:
        if let word { words.append(word) }
        word = nil
      default:
        word = (word ?? "") + String(character)
      }
    }
    if let word { words.append(word) }
    return Array(words.dropFirst().prefix { !["|", ">", ">>"].contains($0) })
  }
}
