import Foundation
import Freshet
import FreshetModels
import FreshetTesting
import Testing

@testable import FreshetInspector

/// The page in a real browser; skipped where Chromium is not installed.
@Suite(
  .serialized,
  .enabled(if: Browser.path != nil, "Chromium is not installed"),
  .timeLimit(.minutes(20))
)
struct InspectorPageTests {
  private let hour: ScriptedHour
  private let browser: Browser

  init() throws {
    hour = try ScriptedHour()
    browser = try Browser()
  }

  private func page(_ fragment: String) throws -> URL {
    let url = try #require(hour.inspector.url).absoluteString
    return try #require(URL(string: "\(url)?still#\(fragment)"))
  }

  @Test func `the table shows each call of an hour as its resource is`() async throws {
    let outcomes = try await hour.run()
    let document = try await browser.document(try page("calls"))
    let rows = document.rows
    let sources = outcomes.compactMap { try? $0.result.get().source }
    func count(_ source: Resource.Source) -> String { "\(sources.count { $0 == source })" }

    #expect(
      document.texts("b", inside: "totals", of: "p").prefix(5) == [
        "\(outcomes.count)", "0", "\(outcomes.count - sources.count)", count(.memory),
        count(.network),
      ]
    )
    #expect(rows.count == outcomes.count && outcomes.count > 100)
    for (row, (index, outcome)) in zip(rows.reversed(), outcomes.enumerated()) {
      try #require(row.count == 7)
      #expect(row[0] == "\(index + 1)")
      #expect(row[1].hasPrefix("GET a.test\(outcome.path)"))
      switch outcome.result {
      case .success(let resource):
        #expect(row[2] == "\(resource.status.rawValue)")
        #expect(row[3] == "\(resource.source.rawValue), \(resource.freshness.rawValue)")
      case .failure(.status(let head, _)): #expect(row[2] == "\(head.status.rawValue)")
      case .failure: #expect(row[2] == "failed")
      }
    }
  }

  @Test func `one call shows its explanation, sentence by sentence`() async throws {
    let outcomes = try await hour.run()
    // One call for each course that the hour has.
    var courses: [String: Int] = [:]
    for (index, outcome) in outcomes.enumerated() where courses[outcome.course] == nil {
      courses[outcome.course] = index
    }
    #expect(courses.count >= 5)
    for index in courses.values.sorted().prefix(7) {
      let document = try await browser.document(try page("call=\(index + 1)"))
      let shown = document.texts("li", inside: "explanation", of: "ol")
      switch outcomes[index].result {
      case .success(let resource): #expect(shown == resource.explanation.map(\.description))
      case .failure(let error):
        let words = (error.explanation ?? hour.none).map(\.description)
        #expect(shown == words + ["failed: \(error)"])
      }
      let names = document.texts("b", inside: "chain", of: "ol")
      #expect(
        names == hour.client.chain(for: try hour.request("/fresh")).stageNames.map(\.description)
      )
    }
  }

  @Test func `the stores show what is stored, and how fresh it is`() async throws {
    _ = try await hour.run()
    let document = try await browser.document(try page("stores"))
    let phases = document.texts("td", inside: "entries", of: "tbody")

    #expect(phases.contains("http://a.test/fresh"))
    #expect(phases.contains("stale while revalidating"))
    #expect(phases.contains("memory"))
  }

  /// Leaves time for the last update, which comes after 0.1 s, and later on a busy machine.
  private func lastUpdate() async throws {
    try await Task.sleep(for: .seconds(15))
  }

  @Test func `changes come to an open page`() async throws {
    let url = try #require(hour.inspector.url)
    let document = Task { [browser] in try await browser.document(url) }
    while hour.inspector.streamCount == 0 { try await Task.sleep(for: .milliseconds(20)) }
    for _ in 0..<30 {
      _ = try await hour.client.resource(try hour.request("/fresh")).value
      try await Task.sleep(for: .milliseconds(100))
    }
    try await lastUpdate()
    // The page is written once nothing more can come.
    hour.inspector.stop()

    #expect(try await document.value.rows.count == 30)
  }

  @Test func `a client that is added later has its name on an open page`() async throws {
    let url = try #require(hour.inspector.url)
    let document = Task { [browser] in try await browser.document(url) }
    while hour.inspector.streamCount == 0 { try await Task.sleep(for: .milliseconds(20)) }
    let client = Client { $0.transport = ScriptedTransport { _ in .cached("x") } }
    hour.inspector.add(client, name: "later")
    for _ in 0..<20 {
      _ = try await client.resource(try hour.request("/fresh")).value
      try await Task.sleep(for: .milliseconds(100))
    }
    try await lastUpdate()
    // The page is written once nothing more can come.
    hour.inspector.stop()

    #expect(try await document.value.text.contains("client 1, later</span>"))
  }

  @Test func `a link to one of many stored responses shows its plan`() async throws {
    let client = Client {
      $0.transport = ScriptedTransport { request in
        .cached(request.url.path == "/last" ? "x" : "xx", "max-age=86400")
      }
      $0.memory = MemoryStore()
    }
    let inspector = try await client.inspect { $0.announce = { _ in } }
    for path in (0..<1_000).map({ "/\($0)" }) + ["/last"] {
      _ = try await client.resource(try hour.request(path)).value
    }
    let url = try #require(inspector.url).absoluteString
    let page = try #require(URL(string: "\(url)?still#stores=/last"))

    #expect(try await browser.document(page).text.contains("It would send nothing."))
    withExtendedLifetime(inspector) {}
  }

  @Test func `shows all digits of a large number in a body`() async throws {
    let client = Client {
      $0.transport = ScriptedTransport { _ in .json(#"{"id": 9007199254740993}"#) }
    }
    let inspector = try await client.inspect {
      $0.bodies = .shown(upTo: 1_000)
      $0.announce = { _ in }
    }
    _ = try await client.send(try hour.request("/one")).value
    let url = try #require(inspector.url).absoluteString
    let page = try #require(URL(string: "\(url)?still#call=1"))

    #expect(try await browser.document(page).text.contains("9007199254740993"))
    withExtendedLifetime(inspector) {}
  }

  @Test func `the time of a running call goes on`() async throws {
    let recorder = hour.inspector.recorder
    let call = recorder.begin(try hour.request("/slow"), nil, client: 1)
    let began = ContinuousClock.now
    let row = try #require(try await browser.document(try page("calls")).rows.first)
    let most = (ContinuousClock.now - began) / .seconds(1)
    let shown = try #require(Double(row[5].prefix { $0 != " " }))

    #expect(row[2] == "running" && row[5].hasSuffix(" s"))
    // The clock of the page runs eight seconds ahead of the one here, as soon as it is loaded.
    #expect(shown >= min(most, 5))
    withExtendedLifetime(call) {}
  }

  @Test func `shows the models of a client`() async throws {
    let models = ModelStore.inMemory()
    try await models.save([Spring(id: 1, name: "Loue"), Spring(id: 2, name: "Orbe")])
    hour.inspector.add(models, name: "Springs")
    let document = try await browser.document(try page("stores"))
    let cells = document.texts("td", inside: "models", of: "div")

    #expect(document.texts("h3", inside: "models", of: "div") == ["Springs"])
    #expect(cells.prefix(2) == ["Spring", "2"] && cells.suffix(2) == ["none", "none"])
  }

  private struct Spring: PersistableModel {
    static let modelName = "Spring"
    let id: Int
    var name: String
  }

  @Test func `nothing that a server sends becomes markup or runs`() async throws {
    let attack =
      "<script>document.title='PWNED'</script><img src=x onerror=\"document.title='PWNED'\">"
    let markup = Shared(attack)
    let client = Client {
      $0.transport = ScriptedTransport { request in
        ScriptedResponse(
          headers: [
            .contentType: "application/json", "X-Markup": markup.value, .eTag: "\"</script>\"",
            .cacheControl: "max-age=60",
          ],
          body: Data(
            #"{"</script><script>document.title='PWNED'</script>": "\#(markup.value.replacing("\"", with: "'"))"}"#
              .utf8
          )
        )
      }
    }
    let inspector = try await client.inspect {
      $0.bodies = .shown(upTo: 10_000)
      $0.announce = { _ in }
    }
    let path = "/%3Cscript%3E/<img%20src=x>".replacing("<", with: "%3C").replacing(">", with: "%3E")
    let request = try Request(.get, "http://a.test\(path)?q=%3Cscript%3E")
    _ = try await client.send(request) { $0.tags = [attack] }.value
    _ = try await client.resource(request).value
    inspector.show(
      attack,
      AsyncStream {
        $0.yield(attack)
        $0.finish()
      }
    )
    while inspector.shows.values.first?.hasEnded != true { await Task.yield() }
    let url = try #require(inspector.url).absoluteString

    for fragment in ["calls", "call=1", "call=2", "stores", "live", "batches"] {
      let page = try #require(URL(string: "\(url)?still#\(fragment)"))
      let document = try await browser.document(page)
      #expect(document.text.contains("<title>Freshet inspector</title>"), "\(fragment)")
      #expect(!document.text.contains("<img src=\"x\"") && !document.text.contains("<img src=x"))
      #expect(document.text.components(separatedBy: "<script").count == 2, "\(fragment)")
    }
  }

  @Test func `a hostile page in another tab reads nothing and changes nothing`() async throws {
    _ = try await hour.client.resource(try hour.request("/fresh")).value
    let url = try #require(hour.inspector.url).absoluteString
    // It even knows the token.
    let server = try LoopbackServer([
      "/": .response(
        .ok,
        headers: [.contentType: "text/html"],
        body: Data(Self.hostilePage(url).utf8)
      )
    ])
    let document = try await browser.document(server.url("/"))

    #expect(document.text.contains("<p id=\"end\">over</p>"))
    #expect(document.texts("li", inside: "read", of: "ol") == [])
    #expect(document.texts("li", inside: "refused", of: "ol").count == 7)
    #expect(hour.memory.count == 1)
    #expect(hour.inspector.recorder.totals.began == 1)
  }

  private static func hostilePage(_ url: String) -> String {
    #"""
    <!doctype html><ol id="read"></ol><ol id="refused"></ol><p id="end"></p><script>
    const url = "\#(url)";
    const note = (list, text) => {
      const item = document.createElement("li"); item.textContent = text;
      document.getElementById(list).append(item);
    };
    const attempt = async (name, work) => {
      try { const text = await work(); note(text ? "read" : "refused", name + (text ?? "")); }
      catch (error) { note("refused", name); }
    };
    const load = (tag, source) => new Promise((resolve) => {
      const element = document.createElement(tag);
      element.onload = () => resolve(tag === "iframe" ? null : "loaded");
      element.onerror = () => resolve(null);
      element.src = source;
      document.body.append(element);
    });
    (async () => {
      await attempt("fetch", async () => (await fetch(url + "api/state")).text());
      await attempt("post", async () => (await fetch(url + "api/calls/1/again", { method: "POST",
        headers: { "X-Freshet-Inspector": "1" } })).text());
      await attempt("simple post", async () => (await fetch(url + "api/stores/1/remove",
        { method: "POST", mode: "no-cors" })).text());
      await attempt("script", () => load("script", url + "api/state"));
      await attempt("page script", () => load("script", url + "page.js"));
      await attempt("picture", () => load("img", url + "api/calls/1/picture"));
      await attempt("frame", async () => {
        await load("iframe", url);
        try { return document.querySelector("iframe").contentDocument?.body?.textContent; }
        catch { return null; }
      });
      document.getElementById("end").textContent = "over";
    })();
    </script>
    """#
  }
}

/// An hour of a client's life, by a scripted network and a clock that is set.
struct ScriptedHour {
  struct Outcome {
    let path: String
    let result: Result<Resource, FreshetError>

    /// The kinds of decisions.
    var course: String {
      switch result {
      case .success(let resource):
        resource.explanation.map { "\($0)".prefix(9) }.joined(separator: ",")
      case .failure(let error): "failed \("\(error)".prefix(12))"
      }
    }
  }

  let inspector: Inspector
  let client: Client
  let memory = MemoryStore()
  let none = Explanation()
  private let time = Shared(InspectorWorld.start)
  private let isDown = Shared(false)

  init() throws {
    let (time, isDown, memory) = (time, isDown, memory)
    client = Client {
      $0.transport = ScriptedTransport { request in
        guard !isDown.value else {
          return .failure(.connection(.refused, url: "http://a.test\(request.url.path)"))
        }
        switch request.url.path {
        case "/fresh": return .cached("fresh", "max-age=86400")
        case "/short":
          return request.headers.contains(.ifNoneMatch)
            ? ScriptedResponse(304, headers: [.eTag: "\"v1\"", .cacheControl: "max-age=100"])
            : .cached("short", "max-age=100")
        case "/window": return .cached("window", "max-age=60, stale-while-revalidate=600")
        case "/missing": return ScriptedResponse(404)
        default: return ScriptedResponse(headers: [.cacheControl: "no-store"], body: Data("x".utf8))
        }
      }
      $0.memory = memory
      $0.now = { time.value }
    }
    inspector = try Inspector(port: 0) {
      $0.announce = { _ in }
      $0.now = { time.value }
    }
    inspector.add(client)
  }

  func request(_ path: String) throws -> Request { try Request(.get, "http://a.test\(path)") }

  /// Fetches a few resources each minute; for ten minutes the network is down.
  func run() async throws -> [Outcome] {
    var outcomes: [Outcome] = []
    let paths = ["/fresh", "/short", "/window", "/none", "/missing"]
    let requests = try paths.map { try request($0) }
    for minute in 0..<60 {
      time.value = InspectorWorld.start + Double(minute) * 60
      isDown.value = (20..<30).contains(minute)
      for index in [0, 1, minute % 3 == 0 ? 2 : minute % 10 == 1 ? 4 : 3] {
        let path = paths[index]
        do throws(FreshetError) {
          outcomes.append(
            Outcome(path: path, result: .success(try await client.resource(requests[index]).value))
          )
        } catch {
          outcomes.append(Outcome(path: path, result: .failure(error)))
        }
      }
    }
    return outcomes
  }
}
