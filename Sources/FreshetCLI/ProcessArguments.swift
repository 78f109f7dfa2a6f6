/// The arguments as the system passes them.
enum ProcessArguments {
  /// Returns the words after the name of the tool.
  ///
  /// - Throws: ``UsageError`` for a word that is not UTF-8: with its bytes replaced, it would name
  ///   another file, or be sent as other data.
  static func words() throws(UsageError) -> [String] {
    var words: [String] = []
    for (number, bytes) in CommandLine.unsafeArguments.enumerated().dropFirst() {
      guard let word = String(validatingCString: bytes) else {
        throw UsageError("argument \(number) is not UTF-8; rename the file, or send data from one")
      }
      words.append(word)
    }
    return words
  }
}

extension CommandLine {
  fileprivate static var unsafeArguments: [UnsafeMutablePointer<CChar>] {
    UnsafeBufferPointer(start: unsafeArgv, count: Int(argc)).compactMap(\.self)
  }
}
