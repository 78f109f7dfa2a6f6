import Foundation
import Freshet

/// `freshet upload`: sends a file, and resumes it after interruptions.
struct UploadCommand: RunnableCommand {
  let options: UploadCommandOptions

  func run() async -> ExitStatus {
    let client = options.server.client()
    do throws(FreshetError) {
      if options.cancels {
        try await client.cancelUpload(in: options.usedJournal)
      } else {
        try await upload(with: client)
      }
      return .success
    } catch {
      let name = options.format == .json ? options.url : options.file.path
      Console.report(error, of: name, as: options.format)
      return .failure
    }
  }

  private func upload(with client: Client) async throws(FreshetError) {
    var request = try URLText.request(options.method, options.url)
    request.body = .file(options.file)
    let upload = client.upload(request) {
      $0.resumption = options.resumption
      $0.journal = options.usedJournal
      $0.retry = RetryPolicy {
        $0.maximumRetries = options.retries
        $0.budget = nil
      }
    }
    var board = ProgressBoard(
      width: options.isSilent || options.format == .json ? nil : Console.boardWidth,
      showsItems: false
    )
    // The line of a failure must not follow the bar.
    defer { Console.show(board.clear()) }
    board.start(options.url, 0)
    for try await event in upload {
      switch event {
      case .progress(let progress):
        board.advance(progress, 0)
        Console.show(board.picture(at: .now))
        if options.format == .json { try tell(progress) }
      case .value(let response):
        Console.show(board.clear())
        try tell(response)
      }
    }
  }

  private func tell(_ progress: TransferProgress) throws(FreshetError) {
    var line = JSONLine(event: "progress")
    line.add("url", options.url)
    line.add("completed", progress.completed)
    line.add("total", progress.total)
    line.add("inherited", progress.inherited)
    try Console.out(line.text)
  }

  private func tell(_ response: Response<Data>) throws(FreshetError) {
    guard options.format == .json else {
      if Console.showsOutput, response.value.isBinary {
        Console.error("freshet: the response's body is binary and was not written to the terminal")
      } else {
        try Console.write(response.value)
      }
      if !options.isSilent {
        Console.error(Printable.line("\(options.file.path): status \(response.status)"))
      }
      return
    }
    var line = JSONLine(event: "value")
    line.add("url", options.url)
    line.add("status", Int64(response.status.rawValue))
    line.add("location", optional: response.headers[.location])
    try Console.out(line.text)
  }
}
