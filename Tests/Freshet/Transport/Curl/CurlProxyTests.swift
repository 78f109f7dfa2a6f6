#if !canImport(Darwin)
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Freshet

@Suite struct CurlProxyTests {
  @Test(arguments: ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"])
  func `a variable of the environment names a proxy unless it is empty`(variable: String) {
    let configuration = CurlTransport.Configuration()

    #expect(configuration.mayUseProxy { [variable: "http://127.0.0.1:1"][$0] })
    #expect(!configuration.mayUseProxy { [variable: ""][$0] })
  }

  @Test func `no other variable names a proxy`() {
    let environment = ["HTTP_PROXY": "http://127.0.0.1:1", "no_proxy": "a.example"]

    #expect(!CurlTransport.Configuration().mayUseProxy { environment[$0] })
  }

  @Test func `the environment decides only where the configuration leaves it to it`() throws {
    let environment = ["all_proxy": "http://127.0.0.1:1"]
    var configuration = CurlTransport.Configuration()

    configuration.proxy = .none
    #expect(!configuration.mayUseProxy { environment[$0] })
    configuration.proxy = .url(try #require(URL(string: "http://127.0.0.1:1")))
    #expect(configuration.mayUseProxy { _ in nil })
  }

  @Test func `no description of a configuration shows the proxy's password`() throws {
    var configuration = CurlTransport.Configuration()
    configuration.proxy = .url(try #require(URL(string: "http://ann:hunter2@127.0.0.1:1")))
    var dumped = ""

    dump(configuration, to: &dumped)

    let texts = [
      "\(configuration)", String(reflecting: configuration), "\(configuration.proxy)", dumped,
    ]
    #expect(texts.allSatisfy { $0.contains("http://127.0.0.1:1") && !$0.contains("hunter2") })
  }

  @Test func `the variables are those of the process`() async {
    await #expect(processExitsWith: .success) {
      for name in ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
        unsetenv(name)
      }
      let configuration = CurlTransport.Configuration()
      let isDirect = !configuration.mayUseProxy()
      setenv("https_proxy", "http://127.0.0.1:1", 1)

      exit(isDirect && configuration.mayUseProxy() ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }

  @Test func `a proxy of an unknown kind fails without its password`() async {
    await #expect(processExitsWith: .success) {
      setenv("all_proxy", "foo://ann:hunter2@127.0.0.1:9", 1)

      let answer = await CurlTransport().answer(try Request(.get, "http://a.example/"))

      let error = answer.error
      let isRight = error?.failure == .proxy && error?.description.contains("hunter2") == false
      exit(isRight ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }

  @Test func `the environment excludes no host from a proxy of the configuration`() async {
    await #expect(processExitsWith: .success) {
      setenv("no_proxy", "127.0.0.1", 1)
      let echo = try Echo()
      let proxy = try #require(URL(string: echo.base))
      let transport = CurlTransport { $0.proxy = .url(proxy) }

      let answer = await transport.answer(try Request(.get, "http://127.0.0.1:1/"))

      exit(answer.error == nil ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }

  @Test func `a proxy that refuses is not reported as its server`() async throws {
    let proxy = try #require(URL(string: "http://127.0.0.1:1"))

    let answer = await CurlTransport { $0.proxy = .url(proxy) }
      .answer(try Request(.get, "http://127.0.0.1:2/"))

    #expect(answer.error?.failure == .proxy)
  }

  @Test func `a refused tunnel continues no field of an earlier response`() async {
    await #expect(processExitsWith: .success) {
      alarm(60)
      let proxy = try RawServer { connection in
        while let head = connection.readHead() {
          guard head.hasPrefix("CONNECT ") else {
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            continue
          }
          let folded = " " + String(repeating: "a", count: 600)
          connection.write(
            "HTTP/1.1 407 No\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\(folded)\r\n\r\n"
          )
          return
        }
      }
      let address = try #require(URL(string: proxy.base))
      let transport = CurlTransport { ($0.proxy, $0.loops) = (.url(address), 1) }

      var isRight = true
      for _ in 0..<20 where isRight {
        let response = await transport.answer(try Request(.get, "http://a.invalid/"))
        let refusal = await transport.answer(try Request(.get, "https://a.invalid/"))
        isRight = response.text == "ok" && refusal.error?.failure == .proxy
      }

      exit(isRight ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }

  @Test func `a SOCKS proxy is offered nothing for whose answer the loop would wait`() async throws
  {
    let methods = Seen<[UInt8]>()
    let proxy = try RawServer { connection in
      let start = connection.read(2)
      methods.add(Array(connection.read(Int(start.last ?? 0))))
    }
    let address = try #require(URL(string: "socks5h://127.0.0.1:\(proxy.port)"))

    let answer = await CurlTransport { $0.proxy = .url(address) }
      .answer(try Request(.get, "http://a.invalid/"))

    #expect(answer.error?.failure == .proxy)
    #expect(methods.values == [[0]])
  }

  @Test func `only a proxy that is not one of SOCKS makes tunnels`() throws {
    var configuration = CurlTransport.Configuration()
    #expect(configuration.makesTunnels { ["https_proxy": "http://127.0.0.1:1"][$0] })
    #expect(!configuration.makesTunnels { ["ALL_PROXY": "SOCKS5://127.0.0.1:1"][$0] })

    configuration.proxy = .url(try #require(URL(string: "socks4a://127.0.0.1:1")))
    #expect(!configuration.makesTunnels { _ in nil })
    configuration.proxy = .none
    #expect(!configuration.makesTunnels { _ in "http://127.0.0.1:1" })
  }

  @Test(.timeLimit(.minutes(5)))
  func `a proxy whose refusal does not end fails soon`() async throws {
    let isTaken = Seen<Bool>()
    let proxy = try RawServer { connection in
      _ = connection.readHead()
      connection.write("HTTP/1.1 407 No\r\nContent-Length: 100000000000\r\n\r\n")
      isTaken.add((0..<64).allSatisfy { _ in connection.write(Data(count: 1 << 20)) })
    }
    let address = try #require(URL(string: proxy.base))

    let answer = await CurlTransport { $0.proxy = .url(address) }
      .answer(try Request(.get, "https://a.invalid/"))

    #expect(answer.error?.failure == .proxy)
    #expect(proxy.waitForConnections())
    #expect(isTaken.values == [false])
  }

  @Test func `a Unix socket that refuses is not reported as a proxy`() async throws {
    let proxy = try #require(URL(string: "http://127.0.0.1:1"))
    let socket = URL(filePath: "/nonexistent/a.sock")

    let answer = await CurlTransport { ($0.proxy, $0.unixSocket) = (.url(proxy), socket) }
      .answer(try Request(.get, "http://127.0.0.1:2/"))

    #expect(answer.error?.kind == "connection")
    #expect(answer.error?.failure != .proxy)
  }

  @Test func `a Unix socket has no proxy`() throws {
    var configuration = CurlTransport.Configuration()
    configuration.proxy = .url(try #require(URL(string: "http://127.0.0.1:1")))
    configuration.unixSocket = URL(filePath: "/run/a.sock")

    #expect(!configuration.mayUseProxy { _ in "http://127.0.0.1:1" })
  }
}
#endif
