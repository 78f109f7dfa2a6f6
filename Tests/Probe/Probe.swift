import Foundation
import Freshet

/// A process of its own for tests that look at a process: its memory, its end.
///
/// - `probe paced URL`: reads a body, waits for a line on standard input after each mebibyte.
/// - `probe file URL STORE FILE`: fetches through a disk store and writes the body to a file.
/// - `probe download URL FILE`: downloads to a file without a store, and tells how far it has come.
/// - `probe models …`: writes models, see ``ModelProbe``.
/// - `probe changes …`: makes changes of models and sends them, see ``ChangesProbe``.
/// - `probe partial URL STORE`: fetches through a disk store and tells how far it has come.
/// - `probe crash STORE LOG SEED full|small [LANE COUNT]`: checks a store against a log, and changes it
///   until it kills itself, see ``CrashProbe``; `probe check …` only checks.
/// - `probe readonly DIRECTORY`: uses a store that cannot be written, as an ordinary user.
/// - `probe bytes URL STORE SEED LENGTH`: reads random ranges until it kills itself, see ``BytesProbe``.
/// - `probe connectivity`: watches the interfaces of its network namespace, see ``ConnectivityProbe``.
/// - `probe moved HOSTS`: asks a host whose address in this file changes, see ``MovedProbe``.
/// - `probe hammer STORE SEED COUNT`: one of several processes that use a store at once.
/// - `probe frontier SERVER NAME MILLISECONDS`: works off a frontier, with a lease of this length.
/// - `probe coalesce SERVER ORIGIN COUNT SEED MILLISECONDS`: fetches pages through a shared store, with
///   leases of this length, see ``CoalesceProbe``.
///
/// It prints `MiB N` after each mebibyte read, and at the end `peak N`, the most memory of its own that
/// it has had, in KiB.
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
    case ("download", let rest) where rest.count == 2:
      let download = Client().download(try Request(rest[0]), to: URL(filePath: rest[1]))
      try await partial(download)
    case ("models", let rest):
      try await ModelProbe.run(rest)
    case ("changes", let rest) where rest.count == 5:
      try await ChangesProbe.run(rest)
    case ("partial", let rest) where rest.count == 2:
      let client = Client { $0.disk = DiskStore(directory: URL(filePath: rest[1])) }
      try await partial(client.resource(try Request(rest[0])))
    case ("readonly", let rest) where rest.count == 1:
      try await ReadOnlyProbe(rest[0]).run()
      tell("read")
    case ("crash", let rest) where rest.count == 4 || rest.count == 6:
      try await crashProbe(rest).run(microseconds: 0..<60_000)
    case ("check", let rest) where rest.count == 4 || rest.count == 6:
      let probe = try crashProbe(rest)
      tell("items \(try await probe.check().count)")
      await probe.store.close()
    #if !canImport(Darwin)
    case ("shutdown", let rest) where rest.count == 3:
      ShutdownProbe.keepOneArena()
      let probe = ShutdownProbe(
        url: rest[0],
        directory: URL(filePath: rest[1]),
        count: Int(rest[2]) ?? 0
      )
      for line in try await probe.run() { tell(line) }
    #endif
    #if canImport(CLinux)
    case ("connectivity", _):
      for line in try await ConnectivityProbe.run() { tell(line) }
    #endif
    #if !canImport(Darwin)
    case ("moved", let rest) where rest.count == 1:
      for line in try await MovedProbe.run(URL(filePath: rest[0])) { tell(line) }
    #endif
    case ("bytes", let rest) where rest.count == 4:
      guard let url = URL(string: rest[0]) else { fatalError("it is no URL") }
      try await BytesProbe(
        url: url,
        store: URL(filePath: rest[1]),
        seed: UInt64(rest[2]) ?? 0,
        length: Int64(rest[3]) ?? 0
      )
      .run()
    #if Redis && !canImport(Darwin)
    case ("frontier", let rest) where rest.count == 3:
      let lease = Duration.milliseconds(Int(rest[2]) ?? 0)
      let probe = FrontierProbe(server: rest[0], name: rest[1], lease: lease)
      tell("values \(try await probe.run())")
    case ("coalesce", let rest) where rest.count == 5:
      try await CoalesceProbe(
        server: rest[0],
        origin: rest[1],
        count: Int(rest[2]) ?? 0,
        seed: UInt64(rest[3]) ?? 0,
        lease: .milliseconds(Int(rest[4]) ?? 0)
      )
      .run { tell($0) }
    #endif
    case ("hammer", let rest) where rest.count == 3:
      let probe = HammerProbe(
        store: URL(filePath: rest[0]),
        seed: UInt64(rest[1]) ?? 0,
        count: Int(rest[2]) ?? 0
      )
      tell("hits \(try await probe.run())")
    default:
      fatalError("unknown arguments: \(arguments)")
    }
    tell("peak \(peak)")
  }

  /// Tells of each twelve mebibytes only: what came before it was told of may not be noted yet.
  private static func partial(
    _ events: some AsyncSequence<Event<Resource>, FreshetError>
  ) async throws {
    var hasTold = false
    for try await event in events {
      // Progress is conflated: this very number may have been passed over.
      guard !hasTold, case .progress(let progress) = event, progress.completed >= 12 << 20
      else { continue }
      hasTold = true
      tell("MiB 12")
    }
  }

  private static func crashProbe(_ arguments: [String]) throws -> CrashProbe {
    try CrashProbe(
      store: URL(filePath: arguments[0]),
      log: URL(filePath: arguments[1]),
      seed: UInt64(arguments[2]) ?? 0,
      evicts: arguments[3] == "small",
      lane: arguments.count == 6
        ? CrashProbe.Lane(index: Int(arguments[4]) ?? 0, count: Int(arguments[5]) ?? 1)
        : CrashProbe.Lane()
    )
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

  /// The high-water mark of the resident size in KiB, without the pages of programs and libraries:
  /// how many of those are resident depends on what the system has read for others.
  ///
  /// `getrusage` would count the parent's memory from before `exec`.
  private static var peak: Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    func kibibytes(_ name: String) -> Int {
      let line = status.split(separator: "\n").first { $0.hasPrefix("\(name):") } ?? ""
      return line.split(separator: " ").compactMap { Int($0) }.first ?? 0
    }
    return kibibytes("VmHWM") - kibibytes("RssFile")
  }
}
