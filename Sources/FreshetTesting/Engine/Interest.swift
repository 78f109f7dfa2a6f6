/// What may be done with a descriptor.
struct Interest: OptionSet {
  let rawValue: UInt8

  static let reading = Interest(rawValue: 1)
  static let writing = Interest(rawValue: 2)
  /// The other side is gone altogether; reported whether it was asked for or not.
  static let hangUp = Interest(rawValue: 4)
}
