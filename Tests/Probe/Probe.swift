import Foundation
import Freshet

/// A process of its own for tests that look at a process: its memory, its end.
///
/// - `probe paced URL`: reads a body, waits for a line on standard input after each mebibyte.
/// - `probe file URL STORE FILE`: fetches through a disk store and writes the body to a file.
/// - `probe models …`: writes models, see ``ModelProbe``.
///
/// It prints `MiB N` after each mebibyte read, and at the end `peak N`, its largest resident size in
/// KiB.
@main
struct Probe {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    switch (arguments.first, arguments.dropFirst().map { $0 }) {
    case ("paced", let rest) where rest.count == 1:
      try await paced(try Request(rest[0]))
    case ("file", let rest) where rest.count == 3:
      let client = Client { $0.disk = DiskStore(directory: URL(filePath: rest[1])) }
      let resource = try await client.resource(try Request(rest[0])).value
      try resource.body.write(to: URL(filePath: rest[2]))
      await client.configuration.disk?.close()
    case ("models", let rest):
      try await ModelProbe.run(rest)
    default:
      fatalError("unknown arguments: \(arguments)")
    }
    tell("peak \(peak)")
  }

  private static func paced(_ request: Request) async throws {
    var (count, mebibytes) = (0, 0)
    for try await event in DefaultTransport().send(request) {
      guard case .body(let chunk) = event else { continue }
      count += chunk.count
      while count >= (mebibytes + 1) << 20 {
        mebibytes += 1
        tell("MiB \(mebibytes)")
        _ = readLine()
      }
    }
    tell("bytes \(count)")
  }

  private static func tell(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }

  /// The high-water mark of the resident size in KiB.
  ///
  /// `getrusage` would count the parent's memory from before `exec`.
  private static var peak: Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
    return line.split(separator: " ").compactMap { Int($0) }.first ?? 0
  }
}
