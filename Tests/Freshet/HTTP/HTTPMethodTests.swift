import Freshet
import Testing

@Suite struct HTTPMethodTests {
  @Test(arguments: [HTTPMethod.get, .head, .options, .query, HTTPMethod("TRACE")])
  func `safe methods are idempotent too`(method: HTTPMethod) {
    #expect(method.isSafe)
    #expect(method.isIdempotent)
  }

  @Test(arguments: [HTTPMethod.put, .delete])
  func `PUT and DELETE are idempotent, but not safe`(method: HTTPMethod) {
    #expect(!method.isSafe)
    #expect(method.isIdempotent)
  }

  @Test(arguments: [HTTPMethod.post, .patch, HTTPMethod("get"), HTTPMethod("PROPFIND")])
  func `others, also in another case, are neither safe nor idempotent`(method: HTTPMethod) {
    #expect(!method.isSafe)
    #expect(!method.isIdempotent)
  }
}
