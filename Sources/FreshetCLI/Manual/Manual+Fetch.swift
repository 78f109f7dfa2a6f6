extension Manual {
  static let fetch = ManualPage(
    name: "fetch",
    summary: "fetch resources",
    about: """
      Fetches resources, six at a time, and shows where each one came from and why. Several URLs \
      are planned first: stored copies are looked up, and the origin is asked for the sizes of the \
      others. Bodies are written in the order of the URLs; while many or large bodies wait for a \
      slow one, no further fetch is started. Options that cURL has mean the same here, with three \
      differences: redirects are followed, an error response is an error, and --retry also retries \
      failed connections. Redirects from https to http are refused, and certificates are always \
      verified.
      """,
    usage: [
      "freshet fetch [OPTION]… URL…",
      "freshet fetch --into DIR [OPTION]… URL…",
      "freshet fetch [OPTION]… --from FILE",
      "freshet fetch --store DIR --continue [--into DIR]",
    ],
    options: [
      .init(
        "--from",
        value: .file("FILE"),
        text:
          "read URLs from FILE, one on each line, or from standard input with '-'; empty lines and "
          + "lines that begin with '#' are ignored; lists and URLs are fetched in the given order"
      ),
      .init(
        "--no-plan",
        text:
          "start immediately, without asking for sizes; with '--from -', fetch URLs as they arrive"
      ),
      .init(
        "--continue",
        text: "with --store: continue a run of several URLs that was interrupted or that had "
          + "failures; URLs whose bodies were written are skipped; give --into and other options "
          + "again; with URLs, continue only with these, and keep the others for later; a single "
          + "URL is continued by the same command again"
      ),
      .init(
        "--store",
        value: .directory("DIR"),
        text: "store responses in DIR, and look there first"
      ),
      .shared, .sharedPrefix, .seeds, .partition, .policy, .revalidate,
      .init("--stale", text: "show an expired copy first, and validate it then"),
      .maxStale, .offline, .force,
      .init("--no-store", text: "store nothing"),
      .init("--sha256", value: .text("HEX"), text: "fail unless the body has this SHA-256 digest"),
      .header,
      .init("--request", "-X", value: .text("METHOD"), text: "use this method instead of GET"),
      .init(
        "--data",
        "-d",
        value: .text("DATA"),
        text: "send DATA as a form with POST; '@FILE' sends a file and '@-' standard input; "
          + "several values are joined by '&'"
      ),
      .init(
        "--output",
        "-o",
        value: .file("FILE"),
        text: "write the body to FILE instead of standard output; an existing file is replaced "
          + "when the body is complete, but not by a stale copy after a failure; a pipe or a device "
          + "is written directly; '-' writes even a binary body to the terminal"
      ),
      .init(
        "--into",
        value: .directory("DIR"),
        text:
          "write each body to a file in DIR, never outside of it; DIR is created if necessary; "
          + "files are named by Content-Disposition or by the URL, and repeated names get a number; "
          + "a name from the server never replaces a file, and a stale copy after a failure none "
          + "with content"
      ),
      .init(
        "--json",
        text: "print one JSON object on a line for each event, and no body; for several URLs also "
          + "the plan and the progress of all of them"
      ),
      .init(
        "--inspect",
        text: "show the run on a page in the browser, whose URL is written to standard error, even "
          + "with --silent; the page stays after the run, until Control-C"
      ),
    ] + habits + connections,
    statuses: [
      (0, "every URL ended in a final value"),
      (1, "at least one URL failed, even if a stale copy was written in its place"),
      (2, "the arguments are not valid"),
    ],
    examples: [
      "freshet fetch -o page.html https://example.org/",
      "freshet fetch --store cache --policy after:3600 --stale https://example.org/",
      "freshet fetch --store cache --offline --json https://example.org/",
      "freshet fetch -H 'Accept: text/plain' -d 'q=fresh water' https://httpbin.org/post",
      "echo https://example.org/ | freshet fetch --store cache --json --from -",
      "freshet fetch -XPUT -H'Content-Type: text/plain' -d hello https://httpbin.org/put",
      "freshet fetch --store cache --json --continue",
      "freshet fetch --into downloads https://example.org/ https://example.com/",
      "freshet fetch -sSL -m 20 --retry 3 -o page.html https://example.org/",
      "freshet fetch -I https://example.org/",
      "freshet fetch -sv -u ann:secret https://example.org/",
      "freshet fetch --limit-rate 200K --into downloads https://example.org/",
    ]
  )

  /// The options that cURL has, too.
  private static let habits: [ManualPage.Option] = [
    .init("--head", "-I", text: "send HEAD, and write the head of the response"),
    .init(
      "--include",
      "-i",
      text: "write the heads of the responses, redirects included, before the body"
    ),
    .init(
      "--location",
      "-L",
      text: "follow up to 50 redirects instead of up to 10"
    ),
    .user,
    .init("--silent", "-s", text: "write nothing to standard error, not even errors"),
    .init("--show-error", "-S", text: "with --silent: write errors nevertheless"),
    .init(
      "--fail",
      "-f",
      text: "with --head or --include: write nothing of an error response"
    ),
    .init(
      "--verbose",
      "-v",
      text: "show the network traffic as cURL does, with credentials and cookies hidden"
    ),
    .init(
      "--max-time",
      "-m",
      value: .text("SECONDS"),
      text: "the time limit of each URL, redirects and all attempts included, and that of its plan"
    ),
    .init(
      "--connect-timeout",
      value: .text("SECONDS"),
      text: "the time limit of each connection attempt; 30 seconds by default"
    ),
    .init(
      "--limit-rate",
      value: .text("RATE"),
      text: "receive at most so many bytes per second, over all URLs; K, M and G after the "
        + "number are powers of 1024"
    ),
    .init(
      "--retry",
      value: .text("COUNT"),
      text:
        "retry so often after a timeout, a failed connection or a status of 408, 429, 500, 502, "
        + "503 or 504, with any method; the pauses are one second, two, four and so on, and at "
        + "least as long as the server asks for"
    ),
    .init(
      "--retry-delay",
      value: .text("SECONDS"),
      text: "with --retry: the pause before each attempt; 0 for the usual pauses"
    ),
  ]

  static let explain = ManualPage(
    name: "explain",
    summary: "show what a fetch would do now, and why, without sending a request",
    about: """
      Makes the decisions that 'freshet fetch' would make for a URL, and shows what it would send \
      and return. Nothing is sent, and the store is not changed, except that damaged entries are \
      removed.
      """,
    usage: ["freshet explain [OPTION]… URL…"],
    options: [
      .init("--store", value: .directory("DIR"), text: "look into DIR"),
      .seeds, .partition, .policy, .revalidate,
      .init("--stale", text: "as with fetch: show an expired copy first, and validate it then"),
      .maxStale, .offline, .force, .header, .user, .json,
    ],
    statuses: [
      (0, "success"), (1, "the store could not be read"), (2, "the arguments are not valid"),
    ],
    examples: [
      "freshet explain --store cache https://example.org/",
      "freshet explain --store cache --policy after:60 --json https://example.org/",
    ]
  )
}
