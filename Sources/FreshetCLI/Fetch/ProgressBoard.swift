import Freshet

/// The updating lines on a terminal: one for each of the oldest running items, and a bar for the whole.
///
/// Without a terminal it shows nothing.
struct ProgressBoard {
  private struct Item {
    let url: String
    var progress: TransferProgress?
  }

  private let width: Int?
  private let showsItems: Bool
  private var items: [Int: Item] = [:]
  private var whole: BatchProgress?
  /// The sums so far while the batch is planned.
  var planned: BatchPlan.Totals?
  private var lastShown: ContinuousClock.Instant?
  /// The number of lines on the terminal; the cursor is at the end of the last one.
  private var lineCount = 0
  /// A Boolean value that indicates whether the cursor is after permanent output, in the middle of a line.
  var isLineOpen = false
  /// A Boolean value that indicates whether the lines are hidden now.
  var isHidden = false

  /// The shortest time between two updates.
  static let interval = Duration.milliseconds(50)
  /// The largest number of items, so that earlier output is not scrolled away.
  static let itemLimit = 6

  init(width: Int?, showsItems: Bool) {
    self.width = width
    self.showsItems = showsItems
  }

  mutating func start(_ url: String, _ index: Int) {
    items[index] = Item(url: url)
  }

  mutating func advance(_ progress: TransferProgress, _ index: Int) {
    items[index]?.progress = progress
  }

  mutating func advance(_ progress: BatchProgress) {
    whole = progress
  }

  mutating func end(_ index: Int) {
    items[index] = nil
  }

  /// Returns the text that draws the lines now; empty if no update is due.
  mutating func picture(at now: ContinuousClock.Instant) -> String {
    guard let width, !isHidden else { return "" }
    if let lastShown, now - lastShown < Self.interval { return "" }
    lastShown = now
    let lines = lines(width: width)
    guard !lines.isEmpty else { return "" }
    let text = lines.map { "\($0)\u{1B}[K" }.joined(separator: "\n")
    defer { lineCount = lines.count }
    return erasure + closeLine() + text
  }

  /// Returns the text that erases the lines.
  mutating func clear() -> String {
    defer { lineCount = 0 }
    return erasure
  }

  /// Returns the text that ends an open line of permanent output.
  mutating func closeLine() -> String {
    defer { isLineOpen = false }
    return isLineOpen ? "\n" : ""
  }

  /// The text that moves to the beginning of the first line, and erases everything below.
  private var erasure: String {
    guard lineCount > 0 else { return "" }
    return (lineCount > 1 ? "\u{1B}[\(lineCount - 1)A" : "") + "\r\u{1B}[J"
  }

  func lines(width: Int) -> [String] {
    if let planned {
      let text = "planning: \(planned.items), \(ProgressBar.bytes(Double(planned.bytes)))"
      return [String(text.prefix(width - 1))]
    }
    let running = items.sorted { $0.key < $1.key }
    guard showsItems else {
      guard let item = running.first?.value, let progress = item.progress else { return [] }
      return [ProgressBar.line(progress, whole, width: width)]
    }
    var lines = running.prefix(Self.itemLimit).map { Self.line($1, width: width) }
    if let whole { lines.append(ProgressBar.line(whole, width: width)) }
    return lines
  }

  private static func line(_ item: Item, width: Int) -> String {
    let text = item.progress.map { "  \(ProgressBar.amount($0))  " } ?? "  "
    // The end of a URL is more significant than its beginning.
    let room = max(0, width - 1 - text.count)
    let url = item.url.count > room ? "…\(item.url.suffix(max(0, room - 1)))" : item.url
    return String((text + url).prefix(width - 1))
  }
}
