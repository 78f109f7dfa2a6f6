import Freshet
import Testing

@Suite struct HTTPStatusTests {
  @Test(
    arguments: zip(
      [99, 100, 199, 200, 299, 300, 399, 400, 499, 500, 599, 600] as [HTTPStatus],
      [0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 0]
    )
  )
  func `belongs to the class of its first digit`(status: HTTPStatus, number: Int) {
    #expect(status.isInformational == (number == 1))
    #expect(status.isSuccess == (number == 2))
    #expect(status.isRedirection == (number == 3))
    #expect(status.isClientError == (number == 4))
    #expect(status.isServerError == (number == 5))
  }
}
