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

  /// The options of the commands that connect to servers.
  #if canImport(Darwin)
  static let connections: [ManualPage.Option] = []
  #else
  static let connections = [
    ManualPage.Option(
      "--cacert",
      value: .file("FILE"),
      text: "trust only the certificate authorities in this PEM file"
    ),
    ManualPage.Option(
      "--cert",
      "-E",
      value: .file("FILE"),
      text: "show the client certificate in this PEM file to servers that request one"
    ),
    ManualPage.Option(
      "--key",
      value: .file("FILE"),
      text: "with --cert: the PEM file of its key; by default the same file"
    ),
    ManualPage.Option(
      "--unix-socket",
      value: .file("PATH"),
      text: "send the requests over this Unix socket; the host of a URL is only sent as Host"
    ),
  ]
  #endif

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
    text: "send this header field, or with @FILE those on its lines (@- for standard input), which "
      + "keeps a token out of the arguments; can be repeated"
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
  static let user = Self(
    "--user",
    "-u",
    value: .text("USER:PASSWORD"),
    text: "send these as Basic credentials, but not to another origin after a redirect; "
      + "without a password, the tool asks for it on the terminal and hides the input"
  )
  static let offline = Self("--offline", text: "use only stored copies, of any age")
  static let force = Self(
    "--force",
    text: "download without looking into the stores, and store the result; not with --offline"
  )
}
