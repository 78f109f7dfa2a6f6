import Foundation
import Freshet
import FreshetTesting
import Testing

/// The decision table of `CachingExplained.md` says what happens.
@Suite struct DecisionTableTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let copy: [String]
    let policy: String
    let wire: String
    let shown: String

    var testDescription: String { "\(copy.joined(separator: ", ")) | \(policy)" }
  }

  static let rows: [Row] = {
    let page = DocumentationTests.root
      .appending(path: "Sources/Freshet/Freshet.docc/CachingExplained.md")
    let text = (try? String(contentsOf: page, encoding: .utf8)) ?? ""
    return text.split(separator: "\n")
      .filter { $0.hasPrefix("|") }
      .map { line in
        line.split(separator: "|", omittingEmptySubsequences: false)
          .map { $0.trimmingCharacters(in: .whitespaces).replacing("`", with: "") }
      }
      .filter { $0.count == 6 && $0[1] != "the copy" && !$0[1].hasPrefix("---") }
      .map { cells in
        Row(
          copy: cells[1].components(separatedBy: ", "),
          policy: cells[2],
          wire: cells[3],
          shown: cells[4]
        )
      }
  }()

  static let policies: [String: @Sendable (inout ResourcePolicy) -> Void] = [
    "": { _ in },
    "expiry = .after(.seconds(7200))": { $0.expiry = .after(.seconds(7200)) },
    "expiry = .always": { $0.expiry = .always },
    "expiry = .never": { $0.expiry = .never },
    "network = .forbidden": { $0.network = .forbidden },
    "network = .required": { $0.network = .required },
    "revalidation = .head": { $0.revalidation = .head },
    "revalidation = .none": { $0.revalidation = .none },
    "stale = .beforeValidation": { $0.stale = .beforeValidation },
    "stale = .servedWhileRefreshing": { $0.stale = .servedWhileRefreshing },
    "stale = .withheld": { $0.stale = .withheld },
    "staleLimits.onError = .seconds(30)": { $0.staleLimits.onError = .seconds(30) },
    "staleLimits.unvalidated = .seconds(90)": { $0.staleLimits.unvalidated = .seconds(90) },
  ]

  @Test func `the page has its table`() {
    #expect(Self.rows.count > 25)
  }

  @Test(arguments: rows)
  func `each row matches what happens`(row: Row) async throws {
    let policy = ResourcePolicy(try #require(Self.policies[row.policy]))
    let situation = try CopySituation(row.copy)
    let transport = ScriptedTransport(situation.answer)
    let client = try await situation.client(transport)

    let shown = await situation.shown(client, policy)

    #expect(shown == row.shown)
    let wire = transport.requests.map(CopySituation.name)
    #expect((wire.isEmpty ? "nothing" : wire.joined(separator: ", ")) == row.wire)
  }
}

/// A copy in a store, and what its origin answers, as a row of the table tells them.
struct CopySituation: Sendable {
  static let url = "http://a.example/news"

  private let words: [String]
  private let clock = VirtualClock()
  private let folder: TemporaryDirectory

  init(_ words: [String]) throws {
    self.words = words
    folder = try TemporaryDirectory()
  }

  /// What a request is called in the table.
  static func name(of request: Request) -> String {
    let isConditional =
      request.headers.contains(.ifNoneMatch) || request.headers.contains(.ifModifiedSince)
    return isConditional ? "conditional \(request.method)" : "\(request.method)"
  }

  /// The origin.
  func answer(_ request: Request) -> ScriptedResponse {
    if words.contains("origin down") {
      return .failure(.connection(.refused, url: Self.url))
    }
    if let failure = words.first(where: { $0.hasPrefix("origin answers ") }),
      let code = failure.split(separator: " ").last.flatMap({ Int($0) })
    {
      return ScriptedResponse(HTTPStatus(code))
    }
    let isSame = !words.contains("changed")
    let status: HTTPStatus = isSame && Self.name(of: request) == "conditional GET" ? 304 : .ok
    return response(status, eTag: isSame ? "\"v1\"" : "\"v2\"")
  }

  /// A client whose store has the copy, some time later.
  func client(_ transport: ScriptedTransport) async throws -> Client {
    let memory = MemoryStore()
    var seeds: SeedStore?
    if words.first == "a seed" {
      var builder = try SeedBuilder(directory: folder.url)
      _ = try builder.add(try await download(MemoryStore()).response)
      try builder.write()
      seeds = SeedStore(directory: folder.url)
    } else if words.first != "none" {
      _ = try await download(memory)
    }
    clock.advance(by: .seconds(words.contains("expired") ? 120 : 1))
    return Client { [clock, seeds] in
      $0.transport = transport
      $0.memory = memory
      $0.seeds = seeds
      $0.now = { clock.date }
    }
  }

  /// The values in order, or the error, in the words of the table.
  func shown(_ client: Client, _ policy: ResourcePolicy) async -> String {
    var shown: [String] = []
    do throws(FreshetError) {
      for try await event in client.resource(try Request(Self.url), policy: policy) {
        guard case .value(let resource) = event else { continue }
        shown.append("\(resource.source) \(resource.freshness)")
      }
    } catch {
      shown.append("error \(error.kind)")
    }
    return shown.joined(separator: ", ")
  }

  private func download(_ memory: MemoryStore) async throws -> Resource {
    let eTag = words.contains("without a validator") ? nil : "\"v1\""
    let transport = ScriptedTransport(sequence: [response(.ok, eTag: eTag)])
    return try await Fetch.request(try Request(Self.url))
      .download(over: transport) { [clock] in clock.date }
      .persist(in: memory)
      .settle()
      .value
  }

  private func response(_ status: HTTPStatus, eTag: String?) -> ScriptedResponse {
    let directives = ["max-age=60"] + words.filter { $0.hasPrefix("must-") || $0.contains("=") }
    var headers: HTTPHeaders = [
      .date: HTTPDate.format(clock.date),
      .cacheControl: directives.joined(separator: ", "),
    ]
    if let eTag { headers[.eTag] = eTag }
    return ScriptedResponse(status, headers: headers, body: Data("news".utf8))
  }
}
