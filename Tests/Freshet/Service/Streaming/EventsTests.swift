import Foundation
import Freshet
import Testing

@Suite struct EventsTests {
  @Test(arguments: [
    // The examples of the HTML standard, section 9.2.6.
    ("data: YHOO\ndata: +2\ndata: 10\n\n", [ServerSentEvent(data: "YHOO\n+2\n10")]),
    (
      ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
      [
        .init(data: "first event", id: "1"), .init(data: "second event"),
        .init(data: " third event"),
      ]
    ),
    ("data\n\ndata\ndata\n\ndata:", [.init(data: ""), .init(data: "\n")]),
    ("data:test\n\ndata: test\n\n", [.init(data: "test"), .init(data: "test")]),
    ("event: add\ndata: 1\n\ndata: 2\n\n", [.init(type: "add", data: "1"), .init(data: "2")]),
    ("event: add\n\ndata: 1\n\n", [.init(data: "1")]),
    ("id: 1\n\ndata: a\n\n", [.init(data: "a", id: "1")]),
    (
      "id: 1\ndata: a\n\nid: 2\u{0}\ndata: b\n\n",
      [.init(data: "a", id: "1"), .init(data: "b", id: "1")]
    ),
    ("\u{FEFF}data: a\n\n", [.init(data: "a")]),
    (
      "data: a\r\rdata: b\r\n\r\ndata: c\n\r",
      [.init(data: "a"), .init(data: "b"), .init(data: "c")]
    ),
    ("data: a\nunknown: x\n:c\nretry: soon\n\n", [.init(data: "a")]),
    ("data: unfinished\n", []),
    ("data: a\n\nid: 9\ndata: unfinished", [.init(data: "a")]),
    ("Data: a\n data: b\n\n", []),
    ("data: é\n\n", [.init(data: "é")]),
  ])
  func `reads the standard's examples`(text: String, events: [ServerSentEvent]) async throws {
    #expect(try await Chunks(text).events().collected() == events)

    let bytes = Chunks(text.utf8.map { Data([$0]) })
    #expect(try await bytes.events().collected() == events)
  }

  @Test(arguments: ["data: 12345678", "data: 1234\ndata: 1234\ndata: 1234\n\n"])
  func `a line and an event's data are bounded`(text: String) async throws {
    var events = Chunks(text).events(limit: 10).makeAsyncIterator()

    let error = await #expect(throws: FreshetError.self) { try await events.next(isolation: nil) }

    #expect(error == .limitExceeded(.lineBytes(10), url: ""))
    #expect(try await events.next(isolation: nil) == nil)
  }
}
