/// The man page, in the macros of `man(7)`.
enum ManPage {
  static var text: String {
    let head = """
      .TH FRESHET 1 "" "freshet \(Version.current)" "User Commands"
      .SH NAME
      freshet \\- \(escaped(Manual.summary))
      .SH SYNOPSIS
      .B freshet
      .I COMMAND
      [OPTION]...
      .SH COMMANDS
      """
    let pages = Manual.pages.map(text)
    let environment =
      [".SH ENVIRONMENT"] + Manual.environment.map { item($0.0, $0.1) }
    return ([head] + pages + environment).joined(separator: "\n")
  }

  private static func text(_ page: ManualPage) -> String {
    var lines = [".SS \(escaped(page.name))", escaped(page.about), ".PP", ".nf"]
    lines += page.usage.map(escaped) + [".fi"]
    lines += page.actions.map { item($0.name, $0.text) }
    lines += page.options.map { item($0.synopsis, $0.text) }
    if !page.statuses.isEmpty {
      lines += [".PP", "Exit status:"]
      lines += page.statuses.map { item("\($0.status)", $0.text) }
    }
    if !page.examples.isEmpty {
      lines += [".PP", "Examples:", ".PP", ".nf"] + page.examples.map(escaped) + [".fi"]
    }
    return lines.joined(separator: "\n")
  }

  private static func item(_ term: String, _ text: String) -> String {
    ".TP\n.B \(escaped(term))\n\(escaped(text))"
  }

  /// Returns the text escaped for roff: hyphens stay hyphens, and no line begins with a command.
  private static func escaped(_ text: String) -> String {
    let plain = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
      .replacing("…", with: "...")
    return plain.hasPrefix(".") || plain.hasPrefix("'") ? "\\&\(plain)" : plain
  }
}
