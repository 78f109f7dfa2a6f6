import Freshet

/// The moving lines on a terminal: one for each of the oldest that run, and a bar for the whole.
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
  /// What is known so far while it is planned.
  var planned: BatchPlan.Totals?
  private var lastShown: ContinuousClock.Instant?
  /// How many lines are on the terminal, the cursor at the end of the last.
  private var lineCount = 0
  /// Whether the cursor is behind something that must stay, in the middle of a line.
  var isLineOpen = false
  /// Whether there is no room for it now.
  var isHidden = false

  /// Twenty pictures a second are enough for the eye.
  static let interval = Duration.milliseconds(50)
  /// More lines would push away what was there before.
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

  /// What draws the lines as they are now; empty if that is not due.
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

  /// What takes the lines away.
  mutating func clear() -> String {
    defer { lineCount = 0 }
    return erasure
  }

  /// What begins a new line behind what must stay.
  mutating func closeLine() -> String {
    defer { isLineOpen = false }
    return isLineOpen ? "\n" : ""
  }

  /// Moves to the begin of the first line, and erases what is below.
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
    var text = "  "
    if let progress = item.progress {
      text += ProgressBar.bytes(Double(progress.completed))
      if let total = progress.total { text += " of \(ProgressBar.bytes(Double(total)))" }
      text += "  "
    }
    // The end of a URL tells more than its begin.
    let room = max(0, width - 1 - text.count)
    let url = item.url.count > room ? "…\(item.url.suffix(max(0, room - 1)))" : item.url
    return String((text + url).prefix(width - 1))
  }
}
