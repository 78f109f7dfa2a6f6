import Testing

@testable import Freshet

@Suite struct MediaTypeEssenceTests {
  @Test(arguments: [
    (["text/event-stream"], "text/event-stream"), (["TEXT/Event-Stream"], "text/event-stream"),
    (["text/event-stream;x bogus"], "text/event-stream"),
    (["text/event-stream; charset"], "text/event-stream"),
    (["text/event-stream;"], "text/event-stream"), (["text/event-stream;;"], "text/event-stream"),
    (["text/event-stream; charset=\"utf-8"], "text/event-stream"),
    (["text/event-stream;charset=windows-1251"], "text/event-stream"),
    ([" \ttext/event-stream \t; a=b"], "text/event-stream"),
    (["text/event-stream; a=\"x, y\""], "text/event-stream"),
    (["text/plain, text/event-stream"], "text/event-stream"),
    (["text/plain", "text/event-stream"], "text/event-stream"),
    (["text/event-stream, nonsense"], "text/event-stream"),
    (["text/event-stream, */*"], "text/event-stream"),
    (["text/event-stream", "text/plain"], "text/plain"), (["application/json"], "application/json"),
    ([], nil), ([""], nil), (["text"], nil), (["text/"], nil), (["/event-stream"], nil),
    (["text /event-stream"], nil), (["text/ event-stream"], nil), (["text/event stream"], nil),
    (["text/event-stream/x"], nil), (["x-text/event-streamer"], "x-text/event-streamer"),
  ])
  func `a response has the type that browsers read`(values: [String], essence: String?) {
    var headers = HTTPHeaders()
    for value in values { headers.add(value, for: .contentType) }

    #expect(MediaType.essence(in: headers) == essence)
  }
}
