extension Manual {
  static let seed = ManualPage(
    name: "seed",
    summary: "create a folder of responses to ship with an app",
    about: """
      Creates a folder of responses to ship with an app. The app's first launch shows them \
      immediately, and its first request is answered by a 304. Responses for a single user are \
      refused, and so are responses to requests with credentials or cookies, unless they are \
      public. A store does not record which cookies were sent, so check what you export from it.
      """,
    usage: [
      "freshet seed --into DIR [OPTION]… URL…",
      "freshet seed --into DIR --from-store DIR [OPTION]… [URL…]",
      "freshet seed --into DIR --from-docker DIR [--json] URL…",
    ],
    options: [
      .init(
        "--into",
        value: .directory("DIR"),
        text: "the folder of the seeds; seeds that it has already are kept"
      ),
      .init(
        "--from-store",
        value: .directory("DIR"),
        text: "export the store's responses outside of partitions, for the given URLs or all"
      ),
      .init(
        "--prefix",
        value: .text("PREFIX"),
        text: "with --from-store: export only URLs that begin with PREFIX"
      ),
      .init(
        "--from-docker",
        value: .directory("DIR"),
        text: "convert seeds of Docker, a library for iOS, with 'ResourceInfos.plist' and MD5 names"
      ),
      .header, .user,
      .init("--json", text: "print one JSON object on a line for each seed"),
    ] + connections,
    statuses: [
      (0, "every URL was exported"),
      (1, "at least one URL failed; the others were exported"),
      (2, "the arguments are not valid"),
    ],
    examples: [
      "freshet seed --into Seeds https://example.org/ https://example.com/",
      "freshet seed --into Seeds --from-store cache --prefix https://example.org/",
    ]
  )

  static let store = ManualPage(
    name: "store",
    summary: "inspect a store, verify it, remove responses from it",
    about:
      "Inspects a store, verifies it, and removes responses. Other processes may use it meanwhile.",
    usage: [
      "freshet store stats (--store DIR | --shared URL) [--json]",
      "freshet store list (--store DIR | --shared URL) [--json]",
      "freshet store verify (--store DIR | --shared URL) [--json]",
      "freshet store purge (--store DIR | --shared URL) --older-than SECONDS [--json]",
      "freshet store remove (--store DIR | --shared URL) "
        + "(--url URL | --prefix PREFIX | --all) [--partition NAME] [--json]",
      "freshet store remove (--store DIR | --shared URL) --tag TAG [--json]",
    ],
    actions: [
      ("stats", "show the number of responses and their total size"),
      ("list", "show one line for each response"),
      ("verify", "read all bodies, compare them with their digests, and remove damaged responses"),
      ("purge", "remove responses that were stored or validated longer ago"),
      ("remove", "remove responses by URL, prefix or tag, or all of them"),
    ],
    options: [
      .init("--store", value: .directory("DIR"), text: "the directory of the store"),
      .shared, .sharedPrefix,
      .init("--older-than", value: .text("SECONDS"), text: "with purge: the age in seconds"),
      .init("--url", value: .text("URL"), text: "with remove: the responses of this URL"),
      .init(
        "--prefix",
        value: .text("PREFIX"),
        text: "with remove: the responses of URLs that begin with PREFIX, which is not empty"
      ),
      .init(
        "--tag",
        value: .text("TAG"),
        text: "with remove: the responses with this tag, in all partitions"
      ),
      .init("--all", text: "with remove: all responses"),
      .partition, .json,
    ],
    statuses: [
      (0, "success; with 'verify', nothing was damaged"),
      (1, "the action failed, or something was damaged"),
      (2, "the arguments are not valid"),
    ],
    examples: [
      "freshet store list --store cache --json",
      "freshet store purge --store cache --older-than 604800",
      "freshet store remove --store cache --prefix https://example.org/",
    ]
  )

  static let stats = ManualPage(
    name: "stats",
    summary: "show the sizes, ages and uses of what a store holds",
    about: """
      Shows what a store holds, with bars: its bytes by host and by media type, and its responses by \
      size, by age, by last use and by freshness. A store records the last use of a response, and no \
      hits and misses; a running program has those in its inspector. The store is not changed.
      """,
    usage: ["freshet stats --store DIR"],
    options: [.init("--store", value: .directory("DIR"), text: "the directory of the store")],
    statuses: [
      (0, "success"), (1, "the store could not be read"), (2, "the arguments are not valid"),
    ],
    examples: ["freshet stats --store cache"]
  )

  static let inspect = ManualPage(
    name: "inspect",
    summary: "show a store on a page in the browser",
    about: """
      Serves a page on 127.0.0.1 that shows what a store holds, how fresh it is, and what a fetch \
      would do now, and prints its URL. The page can remove responses; otherwise the store is not \
      changed, except that damaged entries are removed. It ends with Control-C.
      """,
    usage: ["freshet inspect --store DIR [--port PORT]"],
    options: [
      .init("--store", value: .directory("DIR"), text: "the directory of the store"),
      .init(
        "--port",
        value: .text("PORT"),
        text: "the port of the page; by default the system chooses one"
      ),
    ],
    statuses: [
      (0, "it was interrupted"), (1, "the store or the port could not be used"),
      (2, "the arguments are not valid"),
    ],
    examples: ["freshet inspect --store cache"]
  )
}
