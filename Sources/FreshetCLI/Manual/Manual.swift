/// The content of `freshet help`.
enum Manual {
  static let summary = "fetches resources through a pipeline of caches, and explains each result"

  static let pages = [tour, fetch, explain, seed, store, completion, man, help]

  static func page(_ name: String) -> ManualPage? {
    pages.first { $0.name == name }
  }

  /// The options of every command.
  static let common = [
    ManualPage.Option("--help", "-h", text: "show what a command does"),
    ManualPage.Option("--version", text: "show the version"),
  ]

  /// The environment variables that the tool reads.
  static let environment = [
    ("NO_COLOR", "if it is set and not empty, nothing is coloured"),
    ("http_proxy, https_proxy, all_proxy, no_proxy", "through which proxies requests go"),
  ]
}

extension ManualPage.Option {
  static let json = Self("--json", text: "print one JSON object a line")
  static let header = Self(
    "--header",
    "-H",
    value: .text("'Name: value'"),
    text: "send this header field; may be repeated"
  )
  static let partition = Self(
    "--partition",
    value: .text("NAME"),
    text: "whose responses: those of different names never meet"
  )
  static let seeds = Self(
    "--seeds",
    value: .directory("DIR"),
    text: "look for a copy that was shipped in DIR, made by 'freshet seed'"
  )
  static let policy = Self(
    "--policy",
    value: .choice("POLICY", ["http", "after:", "always", "never"]),
    text: "when a stored copy expires: http (as the server says, the default), after:SECONDS, "
      + "always, never"
  )
  static let revalidate = Self(
    "--revalidate",
    value: .choice("HOW", ["conditional", "head", "none"]),
    text: "how an expired copy is validated: conditional (the default), head, none"
  )
  static let maxStale = Self(
    "--max-stale",
    value: .text("SECONDS"),
    text: "accept a copy that has been expired for no longer"
  )
  static let offline = Self("--offline", text: "use only what is stored, whatever its age")
  static let force = Self("--force", text: "download past all stores, and keep the result")
}
