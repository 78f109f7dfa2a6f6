extension BinaryInteger {
  /// Returns the digits of a number, with zeros before them if they are fewer than `count`.
  package func padded(to count: Int, radix: Int = 10) -> String {
    let digits = String(self, radix: radix)
    return String(repeating: "0", count: Swift.max(0, count - digits.count)) + digits
  }
}
