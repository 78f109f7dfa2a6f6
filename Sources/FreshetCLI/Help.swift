/// What `freshet help` and `--help` print.
enum Help {
  static let overview = """
    freshet fetches resources through a pipeline of caches, and explains each result.

    USAGE
      freshet tour             show the framework's life against an origin on loopback
      freshet fetch URL…       fetch resources
      freshet seed URL…        make a folder of responses for an app to ship
      freshet store ACTION     look into a store, verify it, remove from it
      freshet help             show this text

    'freshet COMMAND --help' tells more.
    """

  static let commands = ["fetch": fetch, "seed": seed, "store": store]

  static let tour = """
    Starts an origin on loopback and shows what Freshet does: each step prints the code that runs,
    its events, and the explanation of its result. Needs no network.

    USAGE
      freshet tour
    """

  static let fetch = """
    Fetches resources, six at a time, and tells where each came from and why. Several are planned
    first: what is stored is looked up, and the origin is asked for the sizes of the rest.

    USAGE
      freshet fetch [OPTION]… URL…
      freshet fetch [OPTION]… --from FILE
      freshet fetch --store DIR --continue

    OPTIONS
      --from FILE              take URLs from FILE, one a line, or from standard input with '-';
                               empty lines and those that begin with '#' are left out
      --no-plan                start at once, without asking for sizes; with '--from -' URLs are
                               fetched as they come
      --continue               with --store: pick up a run that was interrupted or in which some have
                               failed; with URLs, fetch those of them that are not done
      --store DIR              keep responses in DIR, and look there first
      --seeds DIR              look for a copy that was shipped in DIR, made by 'freshet seed'
      --partition NAME         whose responses: those of different names never meet
      --policy POLICY          when a stored copy expires: http (as the server says, the default),
                               after:SECONDS, always, never
      --revalidate HOW         how an expired copy is validated: conditional (the default), head,
                               none
      --stale                  show an expired copy while it is being validated
      --max-stale SECONDS      accept a copy that has been expired for no longer
      --offline                use only what is stored, whatever its age
      --force                  download past all stores, and keep the result
      --no-store               keep nothing
      --sha256 HEX             fail unless the body has this digest
      --header 'Name: value'   send this header field; may be repeated
      --output FILE            write the body to FILE instead of standard output
      --json                   print one JSON object a line for each event, and no body; of several
                               URLs also the plan and how far the whole has come

    EXIT STATUS
      0  every URL ended in a final value
      1  one failed
      2  the arguments make no sense

    EXAMPLES
      freshet fetch --output logo.png https://example.org/logo.png
      freshet fetch --store cache --policy after:3600 --stale https://example.org/news.json
      freshet fetch --store cache --offline --json https://example.org/news.json
      freshet fetch --store cache --json --from urls.txt
      freshet fetch --store cache --json --continue
    """

  static let seed = """
    Makes a folder of responses for an app to ship, so that its first launch shows something at once
    and its first request is answered by a 304. Responses for one user only are refused.

    USAGE
      freshet seed --into DIR [OPTION]… URL…
      freshet seed --into DIR --from-store DIR [OPTION]… [URL…]
      freshet seed --into DIR --from-docker DIR [--json] URL…

    OPTIONS
      --into DIR               where the seeds go; what is there already stays
      --from-store DIR         export what this store has, of all URLs unless some are given
      --prefix PREFIX          with --from-store: only URLs that begin with this
      --from-docker DIR        convert seeds of Docker's, 'ResourceInfos.plist' and MD5 names
      --header 'Name: value'   send this header field when downloading; may be repeated
      --json                   print one JSON object a line for each seed

    EXIT STATUS
      0  every URL is a seed now
      1  one is not; the others are
      2  the arguments make no sense

    EXAMPLES
      freshet seed --into Seeds https://example.org/logo.png https://example.org/news.json
      freshet seed --into Seeds --from-store cache --prefix https://example.org/images/
    """

  static let store = """
    Looks into a store, verifies it, and removes from it. Others may use it meanwhile.

    USAGE
      freshet store stats --store DIR [--json]
      freshet store list --store DIR [--json]
      freshet store verify --store DIR [--json]
      freshet store purge --store DIR --older-than SECONDS [--json]
      freshet store remove --store DIR (--url URL | --prefix PREFIX | --tag TAG | --all)
                           [--partition NAME] [--json]

    ACTIONS
      stats    how many responses there are, and how large they are together
      list     one line for each response
      verify   read everything, compare it with its digests, remove what is damaged
      purge    remove what was stored or validated longer ago
      remove   remove by URL, by how the URL begins, by tag, or everything

    EXIT STATUS
      0  it is done; with 'verify', nothing was damaged
      1  it could not be done, or something was damaged
      2  the arguments make no sense

    EXAMPLES
      freshet store list --store cache --json
      freshet store purge --store cache --older-than 604800
      freshet store remove --store cache --prefix https://example.org/images/
    """
}
