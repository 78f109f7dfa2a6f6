/// The documentation of one command, from which help, completion and the man page are made.
struct ManualPage: Sendable {
  let name: String
  /// The purpose of the command, in a few words.
  let summary: String
  /// The description of the command, in sentences.
  let about: String
  let usage: [String]
  /// The possible first arguments, each with an explanation.
  var actions: [(name: String, text: String)] = []
  var options: [Option] = []
  var statuses: [(status: Int, text: String)] = []
  var examples: [String] = []

  struct Option: Sendable {
    /// Its names, the long one first.
    let names: [String]
    let value: Value?
    let text: String

    init(_ names: String..., value: Value? = nil, text: String) {
      self.names = names
      self.value = value
      self.text = text
    }

    /// The option as it is written, such as `--output, -o FILE`.
    var synopsis: String {
      names.joined(separator: ", ") + (value.map { " \($0.placeholder)" } ?? "")
    }
  }

  enum Value: Sendable {
    case file(String)
    case directory(String)
    case choice(String, [String])
    case text(String)

    var placeholder: String {
      switch self {
      case .file(let name), .directory(let name), .choice(let name, _), .text(let name): name
      }
    }
  }
}
