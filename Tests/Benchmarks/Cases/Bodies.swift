import Foundation
import Freshet
import TestSupport

#if !canImport(Darwin)
import CCurl
#endif

/// Large bodies; an operation is a mebibyte.
extension Catalogue {
  static let bodies: [Benchmark] = [download, chunks, upload]

  private static let download = Benchmark(
    name: "download-200-MiB-to-file",
    unit: .throughput,
    count: 200
  ) { world, _ in
    guard world.isNginx else { return [] }
    let client = plainClient(world)
    let spool = world.folder.appending(path: "spool", directoryHint: .isDirectory)
    var contenders = [
      Contender(name: "freshet") { count, _ in
        let url = try world.large(count)
        let resource = try await fetch(url, over: client.configuration.transport, spool)
        guard resource.body.fileURL != nil else { throw BenchError("it is not in a file") }
      }
    ]
    contenders += curlToFile(world)
    return contenders
  }

  /// One `curl` that writes the body to a file.
  private static func curlToFile(_ world: World) -> [Contender] {
    guard let curl = Program.path("curl") else { return [] }
    let target = world.folder.appending(path: "curl.out").path
    return [
      Contender(name: "curl -o") { count, _ in
        let url = try world.large(count)
        try Command.output(curl, ["-sS", "-o", target, url.absoluteString])
        unlink(target)
      }
    ]
  }

  /// The pipeline of a download, written out: its body goes to a spool in the world's folder.
  private static func fetch(
    _ url: URL,
    over transport: any Transport,
    _ directory: URL
  ) async throws -> Resource {
    func open(_ transport: some Transport) async throws -> Resource {
      try await Fetch.request(Request(url))
        .download(over: transport, spool: Spool(directory: directory, threshold: 0))
        .settle()
        .value
    }
    return try await open(transport)
  }

  private static let chunks = Benchmark(
    name: "download-200-MiB-chunks",
    unit: .throughput,
    count: 200
  ) { world, _ in
    guard world.isNginx else { return [] }
    let transport = plainClient(world).configuration.transport
    var contenders = [
      Contender(name: "freshet") { count, _ in
        let url = try world.large(count)
        var bytes = 0
        for try await event in transport.send(Request(url)) {
          if case .body(let chunk) = event { bytes += chunk.count }
        }
        guard bytes == count << 20 else { throw BenchError("\(bytes) bytes") }
      }
    ]
    contenders += curlToFile(world)
    if let curl = Program.path("curl") {
      contenders.append(
        Contender(name: "curl -o /dev/null") { count, _ in
          let url = try world.large(count)
          try Command.output(curl, ["-sS", "-o", "/dev/null", url.absoluteString])
        }
      )
    }
    return contenders
  }

  private static let upload = Benchmark(
    name: "upload-200-MiB-from-file",
    unit: .throughput,
    count: 200
  ) { world, _ in
    guard world.isNginx else { return [] }
    let url = world.http("/upload")
    let client = plainClient(world)
    var contenders = [
      Contender(name: "freshet") { count, _ in
        let file = try world.largeFile(count)
        let response = try await client.send(Request(.put, url, body: .file(file))).value
        guard response.status.isSuccess else { throw BenchError("status \(response.status)") }
      }
    ]
    if let curl = Program.path("curl") {
      contenders.append(
        Contender(name: "curl -T") { count, _ in
          let file = try world.largeFile(count)
          try Command.output(
            curl,
            ["-sS", "-f", "-H", "Expect:", "-T", file.path, "-o", "/dev/null", url.absoluteString]
          )
        }
      )
    }
    return contenders
  }
}
