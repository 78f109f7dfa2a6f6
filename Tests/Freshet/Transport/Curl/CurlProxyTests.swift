#if !canImport(Darwin)
import Foundation
import Testing

@testable import Freshet

@Suite struct CurlProxyTests {
  @Test(arguments: ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"])
  func `a variable of the environment names a proxy unless it is empty`(variable: String) {
    let configuration = CurlTransport.Configuration()

    #expect(configuration.mayUseProxy(in: [variable: "http://127.0.0.1:1"]))
    #expect(!configuration.mayUseProxy(in: [variable: ""]))
  }

  @Test func `no other variable names a proxy`() {
    let environment = ["HTTP_PROXY": "http://127.0.0.1:1", "no_proxy": "a.example"]

    #expect(!CurlTransport.Configuration().mayUseProxy(in: environment))
  }

  @Test func `the environment decides only where the configuration leaves it to it`() throws {
    let environment = ["all_proxy": "http://127.0.0.1:1"]
    var configuration = CurlTransport.Configuration()

    configuration.proxy = .none
    #expect(!configuration.mayUseProxy(in: environment))
    configuration.proxy = .url(try #require(URL(string: "http://127.0.0.1:1")))
    #expect(configuration.mayUseProxy(in: [:]))
  }

  @Test func `a Unix socket has no proxy`() throws {
    var configuration = CurlTransport.Configuration()
    configuration.proxy = .url(try #require(URL(string: "http://127.0.0.1:1")))
    configuration.unixSocket = URL(filePath: "/run/a.sock")

    #expect(!configuration.mayUseProxy(in: ["all_proxy": "http://127.0.0.1:1"]))
  }
}
#endif
