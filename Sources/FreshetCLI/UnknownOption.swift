/// Suggestions for options that a command does not have.
enum UnknownOption {
  /// Returns a suggestion after a semicolon, or an empty text if no option is similar.
  ///
  /// - Parameters:
  ///   - option: The option as it was written.
  ///   - letter: The option in it, if that is a word of several letters.
  ///   - command: The command, perhaps with its action.
  /// - Returns: The words.
  static func hint(_ option: String, letter: String, of command: String) -> String {
    if let advice = advice(option, command) { return "; \(advice)" }
    let page = Manual.page(String(command.prefix { $0 != " " }))
    let names = (page?.options ?? []).flatMap(\.names).filter { $0.hasPrefix("--") }
    // A long one may have been written with one hyphen.
    let long = option.hasPrefix("--") ? option : "-\(option)"
    if long.count > 3, let near = Spelling.nearest(to: long, in: names) {
      return "; did you mean \(near)?"
    }
    return advice(letter, command).map { "; \($0)" } ?? ""
  }

  private static func advice(_ option: String, _ command: String) -> String? {
    command == "fetch" ? curl[option] : nil
  }

  /// The options of cURL, with their counterparts in this tool.
  private static let curl: [String: String] = {
    let sameElsewhere = [
      (
        ["-O", "--remote-name", "-J", "--remote-header-name", "--output-dir", "-P"],
        "use --into DIR, which names files by their URLs"
      ),
      (["-C", "--continue-at"], "use --store DIR, which resumes interrupted downloads"),
      (["-k", "--insecure"], "certificates are always verified, \(Advice.authority)"),
      (["-A", "--user-agent"], "write -H 'User-Agent: …'"),
      (["-b", "--cookie"], "write -H 'Cookie: …'"),
      (["-e", "--referer"], "write -H 'Referer: …'"),
      (["-x", "--proxy"], "set https_proxy or http_proxy"),
      (["--noproxy"], "set no_proxy"),
      (["-c", "--cookie-jar"], "cookies are not kept; write -H 'Cookie: …'"),
      (["-D", "--dump-header"], "use --include"),
      (["-F", "--form"], "there are no multipart forms; send a whole body with -d @FILE"),
      (["-G", "--get"], "write the query into the URL"),
      (["-N", "--no-buffer"], "a body is written when it is complete"),
      (["-n", "--netrc", "--netrc-file"], "use --user"),
      (["--oauth2-bearer"], "write -H 'Authorization: Bearer …'"),
      (["-q", "--quiet"], "use --silent"),
      (["-T", "--upload-file"], "use 'freshet upload FILE URL'"),
      (["-w", "--write-out"], "use --json"),
      (["--compressed"], "bodies are always decoded"),
      (["-Z", "--parallel"], "six URLs are fetched at a time"),
    ]
    return Dictionary(
      uniqueKeysWithValues: sameElsewhere.flatMap { names, advice in names.map { ($0, advice) } }
    )
  }()
}
