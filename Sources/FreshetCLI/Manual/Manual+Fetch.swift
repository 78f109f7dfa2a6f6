extension Manual {
  static let fetch = ManualPage(
    name: "fetch",
    summary: "fetch resources",
    about: """
      Fetches resources, six at a time, and tells where each came from and why. Several are planned \
      first: what is stored is looked up, and the origin is asked for the sizes of the rest. Bodies \
      leave in the order of the URLs; while many or large ones wait for a slow one, no more are \
      started. Options that cURL has mean what they mean there; what differs is that redirects are \
      followed, that an error response is an error, and that --retry tries again after failed \
      connections too. Nothing goes from https to http, and certificates are always verified.
      """,
    usage: [
      "freshet fetch [OPTION]… URL…",
      "freshet fetch --into DIR [OPTION]… URL…",
      "freshet fetch [OPTION]… --from FILE",
      "freshet fetch --store DIR --continue",
    ],
    options: [
      .init(
        "--from",
        value: .file("FILE"),
        text: "take URLs from FILE, one a line, or from standard input with '-'; empty lines and "
          + "those that begin with '#' are left out; lists and URLs are taken in the order in which "
          + "they are given"
      ),
      .init(
        "--no-plan",
        text:
          "start at once, without asking for sizes; with '--from -' URLs are fetched as they come"
      ),
      .init(
        "--continue",
        text: "with --store: pick up a run that was interrupted or in which some have failed; done "
          + "is what has been written; with URLs, fetch those of them that are not done, and leave "
          + "the others for later"
      ),
      .init(
        "--store",
        value: .directory("DIR"),
        text: "keep responses in DIR, and look there first"
      ),
      .seeds, .partition, .policy, .revalidate,
      .init("--stale", text: "show an expired copy while it is being validated"),
      .maxStale, .offline, .force,
      .init("--no-store", text: "keep nothing"),
      .init("--sha256", value: .text("HEX"), text: "fail unless the body has this digest"),
      .header,
      .init("--request", "-X", value: .text("METHOD"), text: "use this method instead of GET"),
      .init(
        "--data",
        "-d",
        value: .text("DATA"),
        text: "send DATA, or the file after '@', or standard input with '@-', as a form with POST; "
          + "several are joined by '&'"
      ),
      .init(
        "--output",
        "-o",
        value: .file("FILE"),
        text: "write the body to FILE instead of standard output, which is '-'; a pipe or a device "
          + "is written into, another file is replaced as a whole; a terminal gets no binary body "
          + "unless it is asked for by '-'"
      ),
      .init(
        "--into",
        value: .directory("DIR"),
        text:
          "write each body to a file in DIR, which is made if it is not there, and never outside "
          + "of it; files are named by Content-Disposition or by the URL, and the second of a name "
          + "gets a number; a name that the server has chosen replaces no file"
      ),
      .init(
        "--json",
        text: "print one JSON object a line for each event, and no body; of several URLs also the "
          + "plan and how far the whole has come"
      ),
    ] + habits,
    statuses: [
      (0, "every URL ended in a final value"),
      (1, "one failed"),
      (2, "the arguments make no sense"),
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

  /// What people know from cURL.
  private static let habits: [ManualPage.Option] = [
    .init("--head", "-I", text: "ask for the head only, by HEAD, and write it"),
    .init(
      "--include",
      "-i",
      text: "write the heads of the responses before the body, those of redirects too"
    ),
    .init(
      "--location",
      "-L",
      text: "follow up to 50 redirects; up to 10 are followed in any case"
    ),
    .init(
      "--user",
      "-u",
      value: .text("USER:PASSWORD"),
      text: "send these as Basic credentials; without a password it is asked for on the terminal, "
        + "where nobody else can read it; another origin that a redirect leads to gets none"
    ),
    .init("--silent", "-s", text: "tell nothing on standard error, not even errors"),
    .init("--show-error", "-S", text: "with --silent: tell errors all the same"),
    .init(
      "--fail",
      "-f",
      text: "with --head or --include: write nothing of an error response"
    ),
    .init(
      "--verbose",
      "-v",
      text: "tell what goes over the network, as cURL does, credentials and cookies hidden"
    ),
    .init(
      "--max-time",
      "-m",
      value: .text("SECONDS"),
      text: "let each URL take so long at most, redirects and all attempts included"
    ),
    .init(
      "--connect-timeout",
      value: .text("SECONDS"),
      text: "let a connection take so long at most; 30 seconds otherwise"
    ),
    .init(
      "--limit-rate",
      value: .text("RATE"),
      text: "receive so many bytes a second at most, of all URLs together; K, M and G behind the "
        + "number are powers of 1024"
    ),
    .init(
      "--retry",
      value: .text("COUNT"),
      text:
        "try again so often after a timeout, a failed connection or one of the statuses 408, 429, "
        + "500, 502, 503 and 504, whatever the method: after a second, two, four and so on, and not "
        + "before the server wants it"
    ),
    .init(
      "--retry-delay",
      value: .text("SECONDS"),
      text: "with --retry: the pause before each attempt"
    ),
  ]

  static let explain = ManualPage(
    name: "explain",
    summary: "tell what a fetch would do now, and why, without asking the network",
    about: """
      Looks a URL up as 'freshet fetch' would, decides as it would, and tells what would be sent and \
      shown. Nothing is sent, and nothing in the store changes but that what is damaged goes.
      """,
    usage: ["freshet explain [OPTION]… URL…"],
    options: [
      .init("--store", value: .directory("DIR"), text: "look into DIR"),
      .seeds, .partition, .policy, .revalidate,
      .init("--stale", text: "an expired copy would be shown while it is being validated"),
      .maxStale, .offline, .force, .header, .json,
    ],
    statuses: [(0, "it is told"), (1, "it could not be told"), (2, "the arguments make no sense")],
    examples: [
      "freshet explain --store cache https://example.org/",
      "freshet explain --store cache --policy after:60 --json https://example.org/",
    ]
  )
}
