/// What `freshet help` and `--help` print.
enum Help {
  static let overview = """
    freshet fetches resources through a pipeline of caches, and explains each result.

    USAGE
      freshet tour             show the framework's life against an origin on loopback
      freshet fetch URL…       fetch resources
      freshet help             show this text

    'freshet fetch --help' and 'freshet tour --help' tell more.
    """

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
      --policy POLICY          when a stored copy expires: http (as the server says, the default),
                               after:SECONDS, always, never
      --revalidate HOW         how an expired copy is validated: conditional (the default), head,
                               none
      --stale                  show an expired copy while it is being validated
      --offline                use only what is stored, whatever its age
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
}
