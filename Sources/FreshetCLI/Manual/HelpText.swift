/// The output of `freshet help`.
struct HelpText {
  /// The column at which explanations begin.
  private let column: Int
  private let width: Int

  /// Makes texts for the width of a terminal; on a narrow one, explanations begin below their terms.
  init(width: Int = Console.textWidth) {
    self.width = min(max(width, 40), 100)
    column = width < 72 ? 6 : 27
  }

  var overview: String {
    let commands = Manual.pages.map { row($0.name, $0.summary) }
    return """
      \(wrapped("freshet \(Manual.summary).", indent: 0))

      USAGE
        freshet COMMAND [OPTION]…

      COMMANDS
      \(commands.joined(separator: "\n"))

      OPTIONS
      \(Manual.common.map { row($0.synopsis, $0.text) }.joined(separator: "\n"))

      Run 'freshet help COMMAND' for details.
      """
  }

  func text(_ page: ManualPage) -> String {
    var sections = [wrapped(page.about, indent: 0)]
    sections.append(section("USAGE", page.usage.map { wrapped($0, indent: 2, hanging: 4) }))
    sections.append(section("ACTIONS", page.actions.map { row($0.name, $0.text) }))
    sections.append(section("OPTIONS", page.options.map { row($0.synopsis, $0.text) }))
    sections.append(section("EXIT STATUS", page.statuses.map(status)))
    sections.append(section("EXAMPLES", page.examples.map { "  \($0)" }))
    return sections.filter { !$0.isEmpty }.joined(separator: "\n\n")
  }

  private func section(_ title: String, _ lines: [String]) -> String {
    lines.isEmpty ? "" : ([title] + lines).joined(separator: "\n")
  }

  /// Returns a term and its explanation, which begins on a line of its own if the term is long.
  private func row(_ term: String, _ text: String) -> String {
    let lines = lines(of: text, width: width - column)
    let indent = String(repeating: " ", count: column)
    let head = "  \(term)"
    guard head.count < column else {
      return ([head] + lines.map { indent + $0 }).joined(separator: "\n")
    }
    let first = head.padding(to: column) + (lines.first ?? "")
    return ([first] + lines.dropFirst().map { indent + $0 }).joined(separator: "\n")
  }

  private func status(_ status: Int, _ text: String) -> String {
    let text = wrapped(text, indent: 5)
    return "  \(status)" + text.dropFirst(3)
  }

  private func wrapped(_ text: String, indent: Int, hanging: Int? = nil) -> String {
    let lines = lines(of: text, width: width - max(indent, hanging ?? 0))
    let rest = String(repeating: " ", count: hanging ?? indent)
    return lines.enumerated()
      .map { ($0 == 0 ? String(repeating: " ", count: indent) : rest) + $1 }
      .joined(separator: "\n")
  }

  private func lines(of text: String, width: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] += " \(word)"
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}

extension String {
  /// Returns the text with spaces up to a width.
  func padding(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
