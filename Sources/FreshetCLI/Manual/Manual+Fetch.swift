extension Manual {
  static let fetch = ManualPage(
    name: "fetch",
    summary: "fetch resources",
    about: """
      Fetches resources, six at a time, and tells where each came from and why. Several are planned \
      first: what is stored is looked up, and the origin is asked for the sizes of the rest. Bodies \
      leave in the order of the URLs; while many or large ones wait for a slow one, no more are \
      started.
      """,
    usage: [
      "freshet fetch [OPTION]… URL…",
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
          + "is written into, another file is replaced as a whole"
      ),
      .init(
        "--json",
        text: "print one JSON object a line for each event, and no body; of several URLs also the "
          + "plan and how far the whole has come"
      ),
    ],
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
    ]
  )

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
