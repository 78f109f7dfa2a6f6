import Foundation
import Testing

@testable import Freshet

@Suite struct ArrivingBodyTests {
  @Test func `delivers the received bytes from the beginning, up to the limit`() {
    let arriving = ArrivingBody(limit: 10)
    for chunk in ["abcd", "efghijkl", "mn"] { arriving.append(Data(chunk.utf8)) }

    #expect(arriving.beginning == Data("abcdefghij".utf8))
  }
}
