import Foundation
import Freshet
import FreshetTesting
import Synchronization
import Testing

@testable import FreshetImages

@MainActor
@Suite struct ImagePresenterTests {
  let clock = VirtualClock()
  let ledger = Ledger()

  private func presenter(
    _ transport: some Transport,
    _ configure: (inout ImageOptions) -> Void = { _ in }
  ) -> ImagePresenter {
    let clock = clock
    let client = Client {
      $0.transport = transport
      $0.now = { clock.date }
    }
    let loader = ImageLoader(client) {
      $0.decoder = LetterDecoder()
      configure(&$0.options)
    }
    return ImagePresenter(loader: loader, surface: ledger, clock: clock)
  }

  private func request(_ path: String) throws -> ImageRequest {
    ImageRequest(try Request("http://a.example/\(path)"))
  }

  @Test func `starts the activity indicator after its delay and ends it with the picture`()
    async throws
  {
    let gate = Gate()
    let transport = ScriptedTransport { _ in
      ScriptedResponse(body: Data("a1".utf8)).waiting(for: gate)
    }
    let presenter = presenter(transport)

    presenter.show(try request("a"))
    await clock.sleepers(count: 1)
    clock.advance(by: .milliseconds(249))
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .milliseconds(1))
    await ledger.wait(for: "activity")
    gate.open()
    await ledger.wait(for: "report image a")

    #expect(ledger.lines == ["activity", "no activity", "picture a, crossFade", "report image a"])
  }

  @Test func `a request that disappeared is refreshed, and its picture stays meanwhile`()
    async throws
  {
    let fields: HTTPHeaders = [.cacheControl: "max-age=60"]
    let transport = ScriptedTransport(sequence: [
      ScriptedResponse(headers: fields, body: Data("a1".utf8)),
      ScriptedResponse(headers: fields, body: Data("b1".utf8)),
    ])
    let presenter = presenter(transport)
    var request = try request("a")
    presenter.show(request)
    await ledger.wait(for: "report image a")
    request.policy = ResourcePolicy(expiry: .always)

    presenter.show(request)
    #expect(!ledger.lines.contains("report image b"))
    presenter.disappear()
    presenter.show(request)
    await ledger.wait(for: "report image b")

    #expect(ledger.lines.filter { $0.hasPrefix("placeholder") }.isEmpty)
    #expect(transport.requests.count == 2)
  }

  @Test func `waits for any delay of the activity indicator`() async throws {
    let transport = ScriptedTransport { _ in
      ScriptedResponse(body: Data("a1".utf8)).waiting(for: Gate())
    }
    let presenter = presenter(transport) { $0.activity = .after(.seconds(Int64.max)) }
    clock.advance(by: .seconds(1))

    presenter.show(try request("a"))

    #expect(await clock.sleepers(count: 1))
    presenter.disappear()
  }

  @Test func `a screen shows progress only while there is some`() {
    let screen = ImageScreen()
    screen.showProgress(TransferProgress(completed: 1, total: 2))
    #expect(screen.progress != nil)

    screen.hideProgress()

    #expect(screen.progress == nil)
  }

  @Test func `shows no picture of a former request, however late it arrives`() async throws {
    let gate = Gate()
    let transport = ScriptedTransport { request in
      request.url.path == "/slow"
        ? ScriptedResponse(body: Data("s1".utf8)).waiting(for: gate)
        : ScriptedResponse(body: Data("f1".utf8))
    }
    let presenter = presenter(transport) { $0.abandonment = .finish }

    presenter.show(try request("slow"))
    await gate.waiting()
    presenter.show(try request("fast"))
    gate.open()
    await transport.counted { $0.finished == 2 }
    await ledger.wait(for: "report image f")

    #expect(ledger.lines == ["picture f, crossFade", "report image f"])
  }

  @Test func `cancels the transfer of a view that disappears`() async throws {
    let gate = Gate()
    let transport = ScriptedTransport { _ in
      ScriptedResponse(body: Data("a1".utf8)).waiting(for: gate)
    }
    let presenter = presenter(transport)

    presenter.show(try request("a"))
    await gate.waiting()
    presenter.disappear()

    #expect(await transport.counted { $0.cancelled == 1 })
  }

  @Test func `cancels the transfer when it is released`() async throws {
    let gate = Gate()
    let transport = ScriptedTransport { _ in
      ScriptedResponse(body: Data("a1".utf8)).waiting(for: gate)
    }
    var presenter: ImagePresenter? = presenter(transport)

    presenter?.show(try request("a"))
    await gate.waiting()
    presenter = nil

    #expect(await transport.counted { $0.cancelled == 1 })
  }

  @Test func `shows a cached picture immediately when it returns`() async throws {
    let transport = ScriptedTransport { _ in
      ScriptedResponse(headers: [.cacheControl: "max-age=60"], body: Data("a1".utf8))
    }
    let presenter = presenter(transport)
    presenter.show(try request("a"))
    await ledger.wait(for: "report image a")
    presenter.show(nil)

    presenter.show(try request("a"))

    #expect(ledger.lines.suffix(3) == ["placeholder", "picture a", "report preview a"])
  }

  @Test func `loads nothing that the app has replaced when it was told of a cached picture`()
    async throws
  {
    let transport = ScriptedTransport { _ in
      ScriptedResponse(headers: [.cacheControl: "max-age=0"], body: Data("a1".utf8))
    }
    let presenter = presenter(transport)
    presenter.show(try request("a"))
    await ledger.wait(for: "report image a")
    await presenter.finish()
    presenter.show(nil)

    ledger.onReport = { presenter.show(nil) }
    presenter.show(try request("a"))
    await presenter.finish()

    #expect(ledger.lines.last == "placeholder")
    #expect(transport.counts.started == 1)
    ledger.onReport = nil
  }
}
