import Foundation
import Freshet
import Testing

@Suite struct RejectTests {
  @Test func `an error response keeps status, headers, body and the decoded model`() async throws {
    let script = ServiceScript(
      .json(#"{"message":"No such user"}"#, status: 404, headers: ["X-Request": "9"])
    )
    let call = Client(script).send(.get("users/7")).reject(as: APIError.self).decode(User.self)

    do {
      _ = try await call.value
      Issue.record("it has a value")
    } catch {
      switch error {
      case .rejected(let rejection):
        #expect(rejection.status == 404)
        #expect(rejection.headers["X-Request"] == "9")
        #expect(rejection.model == APIError(message: "No such user"))
        #expect(rejection.body == Data(#"{"message":"No such user"}"#.utf8))
        #expect(rejection.decodingFailure == nil)
      case .failed(let error):
        Issue.record(error)
      }
    }
  }

  @Test(arguments: ["<html>Bad gateway</html>", "", #"{"message":5}"#])
  func `an error body that is not the model is still that error`(body: String) async throws {
    let call = Client(ServiceScript(.json(body, status: 502))).send(.get("x"))
      .reject(as: APIError.self)

    let error = await #expect(throws: CallError<APIError>.self) { try await call.value }

    guard case .rejected(let rejection) = error else { throw try #require(error) }
    #expect(rejection.status == 502)
    #expect(rejection.model == nil)
    #expect(rejection.decodingFailure != nil)
  }

  @Test func `the predicate finds an error in a 200`() async throws {
    let script = ServiceScript(.json(#"{"error":{"message":"quota"}}"#))
    let call = Client(script).send(.get("x"))
      .reject(as: [String: APIError].self) { $0.hasValue(at: "error") }
      .decode(User.self)

    let error = await #expect(throws: CallError<[String: APIError]>.self) { try await call.value }

    #expect(error?.model?["error"]?.message == "quota")
    #expect(error?.head?.status == 200)
  }

  @Test func `an error field that is null is no error`() async throws {
    let script = ServiceScript(.json(#"{"error":null,"id":1,"name":"Ann"}"#))
    let call = Client(script).send(.get("x"))
      .reject(as: APIError.self) { $0.hasValue(at: "error") }
      .decode(User.self)

    #expect(try await call.value.value.name == "Ann")
  }

  @Test func `a response that the predicate accepts is decoded with any status`() async throws {
    let script = ServiceScript(.json(#"{"id":1,"name":"Ann"}"#, status: 404))
    let call = Client(script).send(.get("x"))
      .reject(as: APIError.self) { $0.status.isServerError }
      .decode(User.self)

    #expect(try await call.value.value == User(id: 1, name: "Ann"))
  }

  @Test func `failures before and after it are failed`() async throws {
    let lost = FreshetError.connection(.lost, url: "")
    let below = Client(ServiceScript(.failure(lost))).send(.get("x")).reject(as: APIError.self)
    let above = Client(ServiceScript(.json("{}"))).send(.get("x"))
      .reject(as: APIError.self)
      .decode(User.self)

    await #expect(throws: CallError<APIError>.failed(lost)) { try await below.value }
    let error = await #expect(throws: CallError<APIError>.self) { try await above.value }
    guard case .failed(.decoding) = error else { throw try #require(error) }
  }

  @Test func `its description shows neither query, headers nor body`() async throws {
    let reply = ServiceScript.Reply.json("hunter2", status: 403, headers: ["X-Token": "hunter2"])
    let call = Client(ServiceScript(reply)).send(.get("x?key=hunter2")).reject(as: APIError.self)

    let error = await #expect(throws: CallError<APIError>.self) { try await call.value }

    let text = try #require(error).description
    #expect(text.contains("403") && text.contains("api.test/v1/x"))
    #expect(!text.contains("hunter2"))
  }

  @Test func `validate makes a status outside of 2xx a failure that keeps head and body`() async {
    let call = Client(ServiceScript(.json("{}", status: 500))).send(.get("x")).validate()

    let error = await #expect(throws: FreshetError.self) { try await call.value }

    #expect(error?.kind == "status")
    #expect(error?.head?.status == 500)
  }

  @Test func `validate takes a custom predicate`() async throws {
    let call = Client(ServiceScript(.json("[]", status: 404))).send(.get("x"))
      .validate { $0.isSuccess || $0 == .notFound }
      .decode([User].self)

    #expect(try await call.value.value == [])
  }
}
