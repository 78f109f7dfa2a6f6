import Freshet
import Testing

@Suite struct HTTPStatusTests {
  static let classes: [(HTTPStatus, KeyPath<HTTPStatus, Bool> & Sendable)] = [
    (100, \.isInformational), (199, \.isInformational), (200, \.isSuccess), (299, \.isSuccess),
    (300, \.isRedirection), (399, \.isRedirection), (400, \.isClientError), (499, \.isClientError),
    (500, \.isServerError), (599, \.isServerError),
  ]

  @Test(arguments: classes)
  func `belongs to one class`(status: HTTPStatus, itsClass: KeyPath<HTTPStatus, Bool> & Sendable) {
    let all: [KeyPath<HTTPStatus, Bool>] = [
      \.isInformational, \.isSuccess, \.isRedirection, \.isClientError, \.isServerError,
    ]

    #expect(all.filter { status[keyPath: $0] } == [itsClass])
  }

  @Test(arguments: [99, 600, 0] as [HTTPStatus])
  func `belongs to none outside of the classes`(status: HTTPStatus) {
    #expect(!status.isInformational && !status.isServerError)
    #expect(status.description == String(status.rawValue))
  }
}
