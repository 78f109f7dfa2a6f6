#if !canImport(Darwin)
/// What the command line says.
struct Options: Sendable {
  var isListing = false
  var isVerbose = false
  /// Whether there is time: more of everything, where more can be had.
  var isLong = false
  /// How many requests the soak makes; chosen by its length unless told.
  var requests: Int?
  /// How long the storm lasts; chosen by its length unless told.
  var seconds: Int?
  var names: [String] = []
  /// What this process serves instead.
  var role: String?

  init(_ arguments: some Sequence<String>) throws {
    var iterator = arguments.makeIterator()
    while let argument = iterator.next() {
      switch argument {
      case "--list": isListing = true
      case "--verbose": isVerbose = true
      case "--long": isLong = true
      case "--requests": requests = iterator.next().flatMap { Int($0) }
      case "--seconds": seconds = iterator.next().flatMap { Int($0) }
      case "--serve": role = iterator.next()
      case _ where argument.hasPrefix("-"): throw LabError("unknown option: \(argument)")
      default: names.append(argument)
      }
    }
  }
}
#endif
