extension Manual {
  static let upload = ManualPage(
    name: "upload",
    summary: "send a file, and resume it after interruptions",
    about: """
      Sends a file. If the server can resume uploads (draft-ietf-httpbis-resumable-upload, or tus 1.0 with \
      --tus), an interrupted transfer is resumed; if the process has ended, the same command resumes it. The \
      body of the response is written to standard output.
      """,
    usage: [
      "freshet upload [OPTION]… FILE URL",
      "freshet upload --cancel [--journal FILE] FILE",
    ],
    options: [
      .init("--tus", text: "use tus 1.0, which the server must support"),
      .init("--request", "-X", value: .text("METHOD"), text: "the method; POST by default"),
      .init(
        "--journal",
        value: .file("FILE"),
        text: "the file that records the upload until it is complete; by default "
          + ".NAME.freshet-upload beside the file"
      ),
      .init(
        "--retry",
        value: .text("COUNT"),
        text: "the number of retries without progress; 10 by default"
      ),
      .init("--cancel", text: "end an interrupted upload on the server"),
      .header, .user,
      .init("--silent", "-s", text: "show no progress and no status"),
      .init("--json", text: "print one JSON object a line"),
    ] + connections,
    statuses: [
      (0, "the upload is complete, or ended with --cancel"),
      (1, "the upload failed; the same command resumes it"),
      (2, "the arguments make no sense"),
    ],
    examples: [
      "freshet upload film.mp4 https://example.org/films",
      "freshet upload --tus -H 'Authorization: Bearer TOKEN' film.mp4 https://example.org/files/",
    ]
  )
}
