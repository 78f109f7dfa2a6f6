//: # Resumable uploads
//: A connection breaks in the middle of an upload: what the server has is not sent again.
import Foundation
import Freshet
import FreshetTesting

func upload(_ film: URL, to origin: LoopbackServer, _ service: UploadService) async throws {
  let client = Client()
  let journal = UploadJournal(at: film.appendingPathExtension("upload"))
  let request = Request(.put, origin.url("/films"), body: .file(film))

  //: The connection breaks, and the policy allows no second attempt: as if the app had ended.
  service.inject([.cut(after: 600_000)])
  do {
    _ =
      try await client.upload(request) {
        $0.creation = .careful
        $0.journal = journal
        $0.retry = .never
      }
      .value
  } catch {
    print("broken:", error.isTransient)
  }
  print("the server has", service.uploads[0].bytes.count)

  //: The next launch asks the server how much it has, and sends the rest.
  var inherited: Int64 = 0
  for try await event in client.upload(request, options: { $0.journal = journal }) {
    switch event {
    case .progress(let progress): inherited = progress.inherited
    case .value(let response): print("status", response.status, "inherited", inherited)
    }
  }
  print("same bytes:", try service.uploads[0].bytes == Data(contentsOf: film))
  print("requests", origin.requests.map(\.method.rawValue))
}

do {
  let service = UploadService()
  let origin = try LoopbackServer(["/films": .uploads(service), "/films/*": .uploads(service)])
  let folder = try TemporaryDirectory()
  let film = folder.file("film")
  try GeneratedBytes(length: 2_000_000, seed: 1).bytes(in: 0..<2_000_000).write(to: film)
  try await upload(film, to: origin, service)
  await origin.stop()
} catch {
  print("failed:", error)
}

//: [Next](@next)
