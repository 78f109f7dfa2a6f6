/// Which version of the tool this is.
enum Version {
  static let current = "0.1.0"
}
