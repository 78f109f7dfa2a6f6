#if !canImport(Darwin)
import Foundation

/// Tries to break Freshet the way the world does: `FreshetLab [--long] [--verbose] EXPERIMENT…`.
///
/// `--list` names the experiments. Each prints a line for what was tried and did not hold, with
/// `--verbose` for everything, and at its end how much was tried and how much of it was broken. It
/// exits with 1 if a promise did not hold, and with 2 if an experiment could not be made.
///
/// `.scripts/lab.sh` runs them all, beside what the tests know.
@main
struct Laboratory {
  static func main() async {
    signal(SIGPIPE, SIG_IGN)
    do {
      exit(try await run() ? 0 : 1)
    } catch {
      FileHandle.standardError.write(Data("FreshetLab: \(error)\n".utf8))
      exit(2)
    }
  }

  /// Whether all promises held.
  private static func run() async throws -> Bool {
    let options = try Options(CommandLine.arguments.dropFirst())
    if options.role == "storm" {
      try StormOrigin.serve()
      return true
    }
    if let role = options.role {
      try await FaultServer.serve(role)
      return true
    }
    guard !options.isListing else {
      for experiment in Experiment.all { write(experiment.name) }
      return true
    }
    let chosen = Experiment.all.filter { options.names.contains($0.name) }
    guard chosen.count == options.names.count, !chosen.isEmpty else {
      throw LabError("name the experiments; --list does")
    }
    let notebook = Notebook(isVerbose: options.isVerbose)
    for experiment in chosen {
      let bench = try Bench(options)
      do {
        try await experiment.make(bench, notebook)
      } catch {
        bench.clear()
        throw error
      }
      bench.clear()
    }
    notebook.close()
    return notebook.brokenCount == 0
  }
}

/// Something that is tried, by its name.
struct Experiment: Sendable {
  let name: String
  let make: @Sendable (Bench, Notebook) async throws -> Void

  static let all: [Experiment] = [
    Experiment(name: "wire") { try await WireExperiment(bench: $0, notebook: $1).run() },
    Experiment(name: "nginx") { try await NginxExperiment(bench: $0, notebook: $1).run() },
    Experiment(name: "http2") { try await SecureExperiment($0, $1, .http2).run() },
    Experiment(name: "tls") { try await SecureExperiment($0, $1, .tls).run() },
    Experiment(name: "proxies") { try await ProxyExperiment(bench: $0, notebook: $1).run() },
    Experiment(name: "clock") { try await ClockExperiment(bench: $0, notebook: $1).run() },
    Experiment(name: "pages") { try await PagesExperiment(bench: $0, notebook: $1).run() },
    Experiment(name: "files") { try await FilesExperiment(bench: $0, notebook: $1).run() },
    Experiment(name: "locks") { try await LocksExperiment(bench: $0, notebook: $1).run() },
    Experiment(name: "descriptors") {
      try await DescriptorsExperiment(bench: $0, notebook: $1).run()
    },
    Experiment(name: "space") { try await SpaceExperiment(bench: $0, notebook: $1).run() },
    Experiment(name: "storm") { try await StormExperiment(bench: $0, notebook: $1).run() },
    Experiment(name: "soak") { try await SoakExperiment($0, $1).run() },
  ]
}

/// Writes a line at once, whoever reads it.
func write(_ line: String) {
  FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}

/// An experiment could not be made.
struct LabError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
#else
/// What the laboratory counts, it reads from `/proc`.
@main
struct Laboratory {
  static func main() {
    print("the laboratory needs Linux")
  }
}
#endif
