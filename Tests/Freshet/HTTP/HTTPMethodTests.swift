import Freshet
import Testing

@Suite struct HTTPMethodTests {
  @Test(arguments: [HTTPMethod.get, .head, .options])
  func `safe methods are idempotent too`(method: HTTPMethod) {
    #expect(method.isSafe)
    #expect(method.isIdempotent)
  }

  @Test(arguments: [HTTPMethod.post, .patch])
  func `unsafe methods are not idempotent`(method: HTTPMethod) {
    #expect(!method.isIdempotent)
  }
}
