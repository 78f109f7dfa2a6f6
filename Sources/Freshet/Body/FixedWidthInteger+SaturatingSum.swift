extension FixedWidthInteger {
  /// Returns the sum of two sizes, of which a server or a file may claim any.
  ///
  /// - Parameter other: The other size; none of them is negative.
  /// - Returns: The sum, or the largest number if the sum is larger.
  package func saturatingSum(_ other: Self) -> Self {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
