//: # Which route counts
//: At every level a literal comes before `#`, that before `*`, and that before `**`.
import Foundation
import Freshet

func response(
  _ path: String,
  _ status: HTTPStatus = .ok,
  _ body: String = "{}"
) throws -> Response<Data> {
  let url = try RequestPath(raw: path).url(base: URL(string: "https://api.example.org/v2"))
  let head = ResponseHead(status: status, headers: [:], url: url)
  return Response(head: head, value: Data(body.utf8))
}

func show() throws {
  let router = try Router(
    basePath: "v2",
    [
      Route("**", JSONValue.self),
      Route("users/*", JSONValue.self),
      Route("users/#", JSONValue.self),
      Route("users/me", JSONValue.self),
      Route("users/*/posts", JSONValue.self),
    ]
  )
  for path in ["users/me", "users/7", "users/ann", "users/me/posts", "a/b/c"] {
    let answer = try response(path)
    let route = try router.route(for: Request(answer.head.url), response: answer)
    print(path, "→", route?.pattern ?? "none")
  }

  //: `users/me/posts`: the literal led nowhere, and the search came back to `*`.

  //: Routes of one path differ by method, by status, and by what the body says.
  let events = try Router(
    basePath: "v2",
    [
      Route("events", String.self).when("type", is: "note").unwrap("text"),
      Route("events", Int.self).when("type", is: "count").unwrap("value"),
      Route("events", Bool.self).status(202).unwrap("queued"),
    ]
  )
  let note: String = try events.decode(
    from: response("events", .ok, #"{"type": "note", "text": "hello"}"#)
  )
  let count: Int = try events.decode(
    from: response("events", .ok, #"{"type": "count", "value": 3}"#)
  )
  let queued: Bool = try events.decode(from: response("events", 202, #"{"queued": true}"#))
  print(note, count, queued)
}

do {
  try show()
} catch {
  print("failed:", error)
}

//: [Next](@next)
