/// The content of `freshet help`.
enum Manual {
  static let summary = "fetches resources through a pipeline of caches, and explains each result"

  static let pages = [
    tour, fetch, explain, seed, store, stats, inspect, upload, socket, completion, man, help,
  ]

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
    ("NO_COLOR", "disables colours if it is set and not empty"),
    (
      "http_proxy, https_proxy, all_proxy, no_proxy",
      "the proxies for requests, and the hosts without one"
    ),
  ]
}

extension ManualPage.Option {
  static let json = Self("--json", text: "print one JSON object on each line")
  static let header = Self(
    "--header",
    "-H",
    value: .text("'Name: value'"),
    text: "send this header field; can be repeated"
  )
  static let partition = Self(
    "--partition",
    value: .text("NAME"),
    text: "use the responses of this partition; partitions never share responses"
  )
  static let shared = Self(
    "--shared",
    value: .text("URL"),
    text:
      "use the store in a Redis or Valkey server: redis://USER:PASSWORD@HOST:PORT, "
      + "rediss://… for TLS, or unix:///PATH; needs a tool that was built with the trait Redis"
  )
  static let sharedPrefix = Self(
    "--shared-prefix",
    value: .text("TEXT"),
    text: "with --shared: the beginning of the names of its keys; freshet by default"
  )
  static let seeds = Self(
    "--seeds",
    value: .directory("DIR"),
    text: "also look in DIR, which 'freshet seed' has created"
  )
  static let policy = Self(
    "--policy",
    value: .choice("POLICY", ["http", "after:", "always", "never"]),
    text: "when a stored copy expires: http (by the response's headers, the default), "
      + "after:SECONDS, always, never"
  )
  static let revalidate = Self(
    "--revalidate",
    value: .choice("HOW", ["conditional", "head", "none"]),
    text: "how an expired copy is validated: conditional (the default), head, none"
  )
  static let maxStale = Self(
    "--max-stale",
    value: .text("SECONDS"),
    text: "accept a copy that expired at most so long ago"
  )
  static let authority = Self(
    "--cacert",
    value: .file("FILE"),
    text: "trust only the certificate authorities in this PEM file"
  )
  static let offline = Self("--offline", text: "use only stored copies, of any age")
  static let force = Self(
    "--force",
    text: "download without looking into the stores, and store the result; not with --offline"
  )
}
