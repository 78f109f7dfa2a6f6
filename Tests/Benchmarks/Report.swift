import Foundation

/// Writes results: a table for people, a line of JSON for machines.
enum Report {
  static func print(_ result: Runner.Result, asJSON: Bool) {
    let text = asJSON ? json(result) : table(result)
    FileHandle.standardOutput.write(Data("\(text)\n".utf8))
  }

  private static func table(_ result: Runner.Result) -> String {
    let unit = result.benchmark.unit.rawValue
    let own = result.entries.first?.values.median ?? .nan
    var lines = ["\(result.benchmark.name)"]
    for (index, entry) in result.entries.enumerated() {
      let ratio = index == 0 ? "" : "× \(number(own / entry.values.median))"
      lines.append(
        "  " + entry.name.padding(toLength: 22, withPad: " ", startingAt: 0)
          + left("\(number(entry.values.median)) \(unit)", 16)
          + left("± \(number(entry.values.spread * 100)) %", 11) + left(ratio, 10)
          + left("\(number(entry.cpu.median)) µs CPU", 17)
          + left("\(number(entry.switches.median)) switches", 16)
      )
    }
    if let peak = result.peak {
      lines.append("  peak \(number(peak.whole)) MiB, \(number(peak.base)) before the work")
    }
    if let doubling = result.doubling { lines.append("  twice the work: × \(number(doubling))") }
    return lines.joined(separator: "\n")
  }

  private struct Line: Encodable {
    let `case`: String
    let unit: String
    let freshet: Double
    let spread: Double
    let baselines: [String: Double]
    let ratio: [String: Double]
    let cpu: [String: Double]
    let switches: [String: Double]
    let peakMiB: Double?
    let baseMiB: Double?
    let doubling: Double?
  }

  private static func json(_ result: Runner.Result) -> String {
    let own = result.entries.first?.values.median ?? 0
    func values(_ value: (Runner.Entry) -> Double) -> [String: Double] {
      Dictionary(result.entries.dropFirst().map { ($0.name, value($0)) }) { first, _ in first }
    }
    func all(_ value: (Runner.Entry) -> Double) -> [String: Double] {
      Dictionary(result.entries.map { ($0.name, value($0)) }) { first, _ in first }
    }
    let line = Line(
      case: result.benchmark.name,
      unit: result.benchmark.unit.rawValue,
      freshet: own,
      spread: result.entries.first?.values.spread ?? 0,
      baselines: values { $0.values.median },
      ratio: values { own / $0.values.median },
      cpu: all { $0.cpu.median },
      switches: all { $0.switches.median },
      peakMiB: result.peak?.whole,
      baseMiB: result.peak?.base,
      doubling: result.doubling
    )
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: (try? encoder.encode(line)) ?? Data(), as: UTF8.self)
  }

  private static func number(_ value: Double) -> String {
    let digits = abs(value) >= 100 ? 0 : abs(value) >= 10 ? 1 : 2
    return String(format: "%.\(digits)f", value)
  }

  private static func left(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}
