/// One thing that reads bytes from outside, and what must hold of it whatever the bytes are.
struct FuzzTarget: Sendable {
  /// The name, which is also that of its folder of inputs.
  let name: String
  /// The longest input worth trying: most parsers show all they have in a few dozen bytes.
  let maximumLength: Int
  /// A Boolean value that indicates whether each scalar of the words and seeds is a byte.
  let isBinary: Bool
  /// Texts that mean something to it, from which inputs are put together.
  let words: [String]
  /// Inputs to begin with.
  let seeds: [String]
  /// Reads the bytes, and throws what does not hold.
  let check: @Sendable ([UInt8]) throws -> Void

  init(
    _ name: String,
    maximumLength: Int = 64,
    isBinary: Bool = false,
    words: [String] = [],
    seeds: [String] = [],
    check: @escaping @Sendable ([UInt8]) throws -> Void
  ) {
    self.name = name
    self.maximumLength = maximumLength
    self.isBinary = isBinary
    self.words = words
    self.seeds = seeds
    self.check = check
  }
}

extension FuzzTarget {
  /// All of them.
  static let all: [FuzzTarget] =
    fieldTargets + cachingTargets + streamTargets + serviceTargets + archiveTargets
    + recordTargets + addressTargets + secretTargets

  /// A word or seed that was written as text, in which `\u{FF}` is the byte that separates texts.
  func bytes(of text: String) -> [UInt8] {
    text.unicodeScalars.flatMap { scalar in
      isBinary || scalar == "\u{FF}"
        ? [UInt8(truncatingIfNeeded: scalar.value)] : Array(String(scalar).utf8)
    }
  }

  static func named(_ name: String) -> FuzzTarget? {
    all.first { $0.name == name }
  }
}

/// What does not hold.
struct Broken: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// Throws unless the condition holds.
func hold(_ condition: Bool, _ problem: @autoclosure () -> String) throws(Broken) {
  if !condition { throw Broken(problem()) }
}
