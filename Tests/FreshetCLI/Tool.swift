import Foundation
import FreshetTesting
import TestSupport
import Testing

/// The built `freshet`, run as a user runs it.
enum Tool {
  static func run(_ arguments: String...) async throws -> ProgramRun {
    try await run(arguments)
  }

  static func run(_ arguments: [String]) async throws -> ProgramRun {
    try await ProgramRun(Program.built("freshet"), arguments)
  }
}

/// A suite in which the tool fetches from a server of the suite's own.
protocol ToolSuite {
  var server: LoopbackServer { get }
}

extension ToolSuite {
  func url(_ path: String) -> String { server.url(path).absoluteString }
}

extension ProgramRun {
  /// The output, as one JSON object.
  var json: [String: Any] {
    get throws { try Self.object(output) }
  }

  /// The lines of the output, each as a JSON object.
  var jsonLines: [[String: Any]] {
    get throws { try lines.map { try Self.object(Data($0.utf8)) } }
  }

  private static func object(_ data: Data) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }
}
