import FreshetEssentials

extension JSONScanner {
  /// Returns the paths of a number, `true`, `false` or `null` in exactly this notation; empty if
  /// the data is not JSON.
  static func places(of word: String, in data: Data) -> [PayloadPath] {
    let places = try? scan(data) { (scanner) throws(Fault) in
      var places: [PayloadPath] = []
      try scanner.collect(word, at: PayloadPath(), into: &places)
      return places
    }
    return places ?? []
  }

  private mutating func collect(
    _ word: String,
    at path: PayloadPath,
    into places: inout [PayloadPath]
  ) throws(Fault) {
    skipSpace()
    switch peek {
    case UInt8(ascii: "{"):
      try forEachMember { (scanner, key) throws(Fault) in
        let step = scanner.text(ofKeyAt: key)
        try scanner.collect(word, at: PayloadPath(steps: path.steps + [step]), into: &places)
      }
    case UInt8(ascii: "["):
      var index = 0
      try forEachElement { (scanner) throws(Fault) in
        let step = "\(index)"
        index += 1
        try scanner.collect(word, at: PayloadPath(steps: path.steps + [step]), into: &places)
      }
    default:
      let value = try skippedValue()
      if value.elementsEqual(word.utf8) { places.append(path) }
    }
  }
}
