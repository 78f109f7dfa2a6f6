#if !canImport(Darwin)
import Foundation
import Freshet
import TestSupport

/// Servers with TLS that are not what they should be, and those that speak HTTP/2 wrongly.
struct SecureExperiment {
  enum Kind: Sendable {
    case tls, http2
  }

  let bench: Bench
  let notebook: Notebook
  let kind: Kind

  init(_ bench: Bench, _ notebook: Notebook, _ kind: Kind) {
    self.bench = bench
    self.notebook = notebook
    self.kind = kind
  }

  func run() async throws {
    let folder = bench.folder("tls")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let faults = [SecureFault.sound] + (kind == .tls ? SecureFault.tls : SecureFault.http2)
    let several = kind == .tls ? [] : SecureFault.several
    let frozen = kind == .tls ? [] : SecureFault.frozen
    let server = try await ServerProcess(
      "/usr/bin/env",
      ["python3", ServerProcess.script("server.py"), folder.path]
        + (faults + several + frozen).map(\.name)
    )
    defer { server.stop() }
    let authority = folder.appending(path: "ca.pem")
    let trials = FaultTrials(
      bench: bench,
      notebook: notebook,
      sound: server.url("/", scheme: "https", host: "localhost"),
      mending: .ports(server)
    ) {
      CurlTransport {
        $0.proxy = .none
        $0.trust = .file(authority)
      }
    }
    try await trials.warmUp()
    for (index, fault) in faults.enumerated() {
      await trials.run(
        fault.name,
        at: server.url("/", scheme: "https", host: "localhost", port: index),
        fault.expectation,
        operations: fault.operations
      ) { request in
        if fault.name.contains("silent") { request.timeouts.connect = .milliseconds(500) }
        fault.change(&request)
      }
    }
    for (index, fault) in several.enumerated() {
      let port = faults.count + index
      await together(fault, server.url("/", scheme: "https", host: "localhost", port: port), trials)
    }
    for (index, fault) in frozen.enumerated() {
      let port = faults.count + several.count + index
      let url = server.url("/", scheme: "https", host: "localhost", port: port)
      await freeze(fault, url, trials)
    }
  }

  /// A connection that freezes once it has been used: only what meets that may fail, by ones and by
  /// twelves, while others still wait on it, and with a deadline for the whole.
  private func freeze(_ fault: SecureFault, _ url: URL, _ trials: FaultTrials) async {
    for (name, count, total) in [
      ("one", 1, 30), ("twelve", 12, 30), ("one with others behind it", 4, 60),
    ] {
      let subject = Subject(trials.transport(), in: bench.folder("frozen-\(UUID().uuidString)"))
      var problems: [String] = []
      do { _ = try trials.mending?.prepare(url) } catch { problems.append("\(error)") }
      var request = Request(.get, url)
      request.timeouts.firstByte = .seconds(15)
      request.timeouts.idle = .seconds(15)
      request.timeouts.total = .seconds(total)
      let right = Expectation.value(Wire.soundBody)
      let first = await Operation.send.run(request, with: subject.client)
      problems += right.problems(with: first).map { "first: \(first), \($0)" }
      request.timeouts.firstByte = .seconds(4)
      request.timeouts.idle = .seconds(4)
      let met = await endings(count, of: request, subject)
      problems += met.flatMap { ending in
        right.problems(with: ending).isEmpty ? [] : fault.expectation.problems(with: ending)
      }
      if fault.expectation.values.isEmpty, met.allSatisfy({ right.problems(with: $0).isEmpty }) {
        problems.append("nobody has met it")
      }
      request.timeouts.firstByte = .seconds(15)
      request.timeouts.idle = .seconds(15)
      for ending in await endings(11, of: request, subject) {
        problems += right.problems(with: ending).map { "later: \(ending), \($0)" }
      }
      await subject.disk.close()
      problems += subject.leftovers
      let story = met.map(\.description).joined(separator: ", ")
      notebook.note("\(fault.name), \(name)", story, problems: problems)
    }
  }

  private func endings(_ count: Int, of request: Request, _ subject: Subject) async -> [Ending] {
    await withTaskGroup(of: Ending.self) { group in
      for _ in 0..<count {
        group.addTask { await Operation.send.run(request, with: subject.client) }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }

  /// Several streams on one connection, of which one meets something: the others do not, nor what
  /// comes next on that connection.
  private func together(_ fault: SecureFault, _ url: URL, _ trials: FaultTrials) async {
    let subject = Subject(trials.transport(), in: bench.folder("several-\(UUID().uuidString)"))
    var request = Request(.get, url)
    request.timeouts.firstByte = .seconds(4)
    request.timeouts.idle = fault.expectation.phase == .idle ? .seconds(4) : .seconds(15)
    request.timeouts.total = .seconds(60)
    let first = await Operation.send.run(request, with: subject.client)
    let endings = await withTaskGroup(of: Ending.self) { [request] group in
      for _ in 0..<5 { group.addTask { await Operation.send.run(request, with: subject.client) } }
      return await group.reduce(into: [first]) { $0.append($1) }
    }
    var problems: [String] = []
    let right = Expectation.value(Wire.soundBody)
    let others = endings.filter { !right.problems(with: $0).isEmpty }
    if others.count > (fault.expectation.values.isEmpty ? 1 : 0) {
      problems.append("\(others.count) of six have met it")
    }
    problems += others.flatMap(fault.expectation.problems)
    if others.isEmpty, fault.expectation.values.isEmpty { problems.append("nobody has met it") }
    for _ in 0..<2 {
      let next = await Operation.send.run(request, with: subject.client)
      problems += right.problems(with: next).map { "next: \(next), \($0)" }
    }
    await subject.disk.close()
    problems += subject.leftovers
    let story = others.map(\.description).joined(separator: ", ")
    notebook.note(fault.name, "\(story)", problems: problems)
  }
}

extension Mending {
  /// A server with a port for each fault; the last one controls the others.
  static func ports(_ server: ServerProcess) -> Mending {
    let control = server.ports.last ?? 0
    return Mending(
      prepare: {
        _ = try Control.ask(control, "/break?\($0.port ?? 0)")
        return $0
      },
      mend: { _ = try Control.ask(control, "/mend?\($0.port ?? 0)") }
    )
  }
}
#endif
