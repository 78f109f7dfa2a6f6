extension Manual {
  static let seed = ManualPage(
    name: "seed",
    summary: "make a folder of responses for an app to ship",
    about: """
      Makes a folder of responses for an app to ship, so that its first launch shows something at \
      once and its first request is answered by a 304. Responses for one user only are refused, and \
      so is what -H has asked for with credentials or cookies, unless it is public. A store does not \
      know which cookies were sent for what it has.
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
        text: "where the seeds go; what is there already stays"
      ),
      .init(
        "--from-store",
        value: .directory("DIR"),
        text: "export what this store has, of all URLs unless some are given"
      ),
      .init(
        "--prefix",
        value: .text("PREFIX"),
        text: "with --from-store: only URLs that begin with this"
      ),
      .init(
        "--from-docker",
        value: .directory("DIR"),
        text: "convert seeds of Docker's, 'ResourceInfos.plist' and MD5 names"
      ),
      .header,
      .init("--json", text: "print one JSON object a line for each seed"),
    ],
    statuses: [
      (0, "every URL is a seed now"),
      (1, "one is not; the others are"),
      (2, "the arguments make no sense"),
    ],
    examples: [
      "freshet seed --into Seeds https://example.org/ https://example.com/",
      "freshet seed --into Seeds --from-store cache --prefix https://example.org/",
    ]
  )

  static let store = ManualPage(
    name: "store",
    summary: "look into a store, verify it, remove from it",
    about: "Looks into a store, verifies it, and removes from it. Others may use it meanwhile.",
    usage: [
      "freshet store stats --store DIR [--json]",
      "freshet store list --store DIR [--json]",
      "freshet store verify --store DIR [--json]",
      "freshet store purge --store DIR --older-than SECONDS [--json]",
      "freshet store remove --store DIR (--url URL | --prefix PREFIX | --tag TAG | --all) "
        + "[--partition NAME] [--json]",
    ],
    actions: [
      ("stats", "how many responses there are, and how large they are together"),
      ("list", "one line for each response"),
      ("verify", "read everything, compare it with its digests, remove what is damaged"),
      ("purge", "remove what was stored or validated longer ago"),
      ("remove", "remove by URL, by how the URL begins, by tag, or everything"),
    ],
    options: [
      .init("--store", value: .directory("DIR"), text: "which store"),
      .init("--older-than", value: .text("SECONDS"), text: "with purge: the age"),
      .init("--url", value: .text("URL"), text: "with remove: this URL"),
      .init("--prefix", value: .text("PREFIX"), text: "with remove: URLs that begin with this"),
      .init("--tag", value: .text("TAG"), text: "with remove: what has this tag"),
      .init("--all", text: "with remove: everything"),
      .partition, .json,
    ],
    statuses: [
      (0, "it is done; with 'verify', nothing was damaged"),
      (1, "it could not be done, or something was damaged"),
      (2, "the arguments make no sense"),
    ],
    examples: [
      "freshet store list --store cache --json",
      "freshet store purge --store cache --older-than 604800",
      "freshet store remove --store cache --prefix https://example.org/",
    ]
  )
}
