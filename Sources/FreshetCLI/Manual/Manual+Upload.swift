extension Manual {
  static let upload = ManualPage(
    name: "upload",
    summary: "send a file, and resume it after interruptions",
    about: """
      Sends a file. If the server can resume uploads (draft-ietf-httpbis-resumable-upload, or tus 1.0 with \
      --tus), a transfer that breaks goes on where it was, and so does one whose process has ended, by the same \
      command. The body of the response goes to standard output.
      """,
    usage: [
      "freshet upload [OPTION]… FILE URL",
      "freshet upload --cancel [--journal FILE] FILE",
    ],
    options: [
      .init("--tus", text: "resume by tus 1.0, which the server must have"),
      .init("--request", "-X", value: .text("METHOD"), text: "the method; POST by default"),
      .init(
        "--journal",
        value: .file("FILE"),
        text: "where to note the upload until it is complete; .NAME.freshet-upload beside the file "
          + "by default"
      ),
      .init(
        "--retry",
        value: .text("COUNT"),
        text: "how often to try again without progress; 10 by default"
      ),
      .init("--cancel", text: "end an interrupted upload on the server"),
      .header,
      .init("--silent", "-s", text: "show no progress and no status"),
      .init("--json", text: "print one JSON object a line"),
    ],
    statuses: [
      (0, "the upload is complete, or ended with --cancel"),
      (1, "it is not; the same command resumes it"),
      (2, "the arguments make no sense"),
    ],
    examples: [
      "freshet upload film.mp4 https://example.org/films",
      "freshet upload --tus -H 'Authorization: Bearer TOKEN' film.mp4 https://example.org/files/",
    ]
  )
}
