/// The operations for which a descriptor may be ready.
struct Interest: OptionSet {
  let rawValue: UInt8

  static let reading = Interest(rawValue: 1)
  static let writing = Interest(rawValue: 2)
  /// The peer has closed the connection completely; always reported.
  static let hangUp = Interest(rawValue: 4)
}
