import Freshet

extension StoreFigures {
  /// The largest number of hosts and of media types that have a line of their own.
  private static let maximumLines = 10

  /// Returns the figures as text.
  ///
  /// - Parameter width: The largest number of columns.
  /// - Returns: A line with the sum, and a section of bars for each property.
  func text(width: Int) -> String {
    let title = "\(Self.responses(total.count)), \(Self.bytes(total.bytes))"
    guard total.count > 0 else { return title }
    let chart = BarChart(width: width)
    let sections = [
      chart.text("Bytes by host", Self.largest(hosts)) { $0.bytes },
      chart.text("Bytes by media type", Self.largest(types)) { $0.bytes },
      chart.text("Responses by size", Array(zip(Self.sizeNames, sizes))) { Int64($0.count) },
      chart.text("Responses by age", Array(zip(Self.ageNames, ages))) { Int64($0.count) },
      chart.text("Responses by last use", Array(zip(Self.ageNames, uses))) { Int64($0.count) },
      chart.text("Responses by freshness", Array(zip(Self.phaseNames, phases))) {
        Int64($0.count)
      },
    ]
    return ([title] + sections).joined(separator: "\n\n")
  }

  private static func bytes(_ count: Int64) -> String { ProgressBar.bytes(Double(count)) }

  private static func responses(_ count: Int) -> String {
    count == 1 ? "1 response" : "\(count) responses"
  }

  /// The names with the most bytes, and the sum of the others.
  private static func largest(_ sums: [String: Sum]) -> [(String, Sum)] {
    let sorted = sums.sorted { ($1.value.bytes, $0.key) < ($0.value.bytes, $1.key) }
    let lines = sorted.prefix(maximumLines)
      .map { ($0.key.isEmpty ? "none" : Printable.line($0.key), $0.value) }
    let others = sorted.dropFirst(maximumLines)
    guard !others.isEmpty else { return lines }
    let sum = others.reduce(into: Sum()) { sum, other in
      sum.count += other.value.count
      sum.bytes = sum.bytes.saturatingSum(other.value.bytes)
    }
    return lines + [("\(others.count) others", sum)]
  }

  /// Rows of a name, a bar, and the figures.
  private struct BarChart {
    let width: Int

    func text(
      _ title: String,
      _ rows: [(name: String, sum: Sum)],
      by value: (Sum) -> Int64
    ) -> String {
      let most = max(1, rows.map { value($0.sum) }.max() ?? 1)
      let figures = rows.map { "\(responses($0.sum.count)), \(bytes($0.sum.bytes))" }
      let end = figures.map(\.count).max() ?? 0
      let column = min(max(8, width / 3), rows.map(\.name.count).max() ?? 0)
      let space = max(4, min(40, width - column - end - 4))
      let lines = zip(rows, figures)
        .map { row, figures in
          let share = Double(value(row.sum)) / Double(most)
          let bar = String(repeating: "█", count: Int((share * Double(space)).rounded(.up)))
          let name = row.name.count > column ? "\(row.name.prefix(column - 1))…" : row.name
          return "  \(name.padding(to: column)) \(bar.padding(to: space)) \(figures)"
        }
      return ([title] + lines).joined(separator: "\n")
    }
  }
}
