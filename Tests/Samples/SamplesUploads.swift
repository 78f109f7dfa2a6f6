import Foundation
import Freshet
import FreshetTesting

@MainActor
private final class Bar {
  var fraction: Double?
}

@MainActor
private func one(client: Client, film: URL, url: URL, support: URL, bar: Bar) async throws {
  let journal = UploadJournal(at: support.appending(path: "film.upload"))
  for try await event in client.upload(film, to: url, options: { $0.journal = journal }) {
    switch event {
    case .progress(let progress): bar.fraction = progress.fraction
    case .value(let response): print(response.status)
    }
  }
}

private func form(client: Client, photo: URL, url: URL) async throws {
  let form = MultipartBody([
    .text("title", "Summer"),
    .file("photo", photo, contentType: MediaType("image", "jpeg")),
  ])
  let response = try await client.send(Request(.post, url, body: .multipart(form))).value
  _ = response
}

private func streams(client: Client, url: URL, backup: URL) {
  let table = (rows: AsyncStream<[String]> { $0.finish() }, name: "")
  let rows = Request(
    .post,
    url,
    body: .stream(contentType: MediaType("text", "csv")) { table.rows.map(\.csv) }
  )
  let copy = Request(.put, backup, body: .stream { client.stream(Request(url)) })
  _ = (rows, copy)
}

extension [String] {
  fileprivate var csv: Data { Data((joined(separator: ",") + "\r\n").utf8) }
}

private func service() throws {
  let service = UploadService()
  let server = try LoopbackServer(["/files": .uploads(service), "/files/*": .uploads(service)])
  service.inject([.cut(after: 100_000), .loseResponse])
  _ = server
}

private func duplex(client: Client, microphone: AsyncStream<Data>) async throws {
  do {
    let stream = client.duplex(.post("transcribe"))
    async let recording: Void = {
      for await samples in microphone { try await stream.send(samples) }
      // A cancelled recording ends as well, and must not be taken for a whole one.
      try Task.checkCancellation()
      stream.finish()
    }()
    for try await chunk in stream { print(String(decoding: chunk, as: UTF8.self)) }
    try await recording
  }
  do {
    let stream = client.duplex(.post("transcribe")) { $0.requiresHTTP2 = true }
    _ = stream
  }
  let echo = ScriptedTransport { _ in
    .duplex { peer in
      for try await chunk in peer { try await peer.send(chunk) }
    }
  }
  _ = echo
}
