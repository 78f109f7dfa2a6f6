#if Redis && !canImport(Darwin)
import Testing

@testable import Freshet
@testable import FreshetRedis

/// The URLs of servers.
@Suite struct RedisAddressTests {
  private func configuration(_ url: String) throws -> SharedStore.Configuration {
    var configuration = SharedStore.Configuration()
    _ = try RedisAddress(url, &configuration)
    return configuration
  }

  @Test(arguments: [
    "redis://a.example/4", "rediss://a.example/4", "redis://a.example?database=4",
    "rediss://a.example/?db=4", "unix:///run/redis?database=4", "unix:///run/redis?db=4",
  ])
  func `a URL has the database in its path or in its query`(url: String) throws {
    #expect(try configuration(url).database == 4)
  }

  @Test(arguments: [
    "redis://a.example?timeout=5", "rediss://a.example/4?timeout=5", "unix:///run/redis?timeout=5",
    "redis://a.example?database=4&timeout=5", "redis://a.example?secret",
  ])
  func `a URL with another query is refused, in words without its values`(url: String) throws {
    let error = #expect(throws: FreshetError.self) { try configuration(url) }
    #expect("\(try #require(error))".contains("may only have the database"))
    #expect(!"\(try #require(error))".contains("secret"))
  }

  @Test(arguments: ["rediss://a.example", "rediss://a.example.:6380/4"])
  func `a certificate is for the host without the dot at its end`(url: String) throws {
    var configuration = SharedStore.Configuration()
    let address = try RedisAddress(url, &configuration)
    #expect(address.secureHost == "a.example")
  }

  @Test func `a name is looked up with the dot at its end`() throws {
    var configuration = SharedStore.Configuration()
    let address = try RedisAddress("redis://a.example.", &configuration)
    #expect(address.place == .host("a.example.", port: 6379))
    #expect(address.secureHost == nil)
  }

  @Test(arguments: ["rediss:///4", "rediss://./4"])
  func `a URL without a host is refused`(url: String) throws {
    let error = #expect(throws: FreshetError.self) { try configuration(url) }
    #expect("\(try #require(error))".contains("no host"))
  }

  @Test func `a path that is too long for a socket is refused`() throws {
    let longest = "/" + String(repeating: "s", count: 106)
    var configuration = SharedStore.Configuration()
    let address = try RedisAddress("unix://\(longest)", &configuration)
    #expect(address.place == .socket(path: longest))
    let error = #expect(throws: FreshetError.self) { try self.configuration("unix://\(longest)s") }
    #expect("\(try #require(error))".contains("too long"))
  }

  @Test(arguments: ["redis://a.example?database=", "redis://a.example?db=x", "redis://a/-1"])
  func `a URL with a database that is no number is refused`(url: String) throws {
    let error = #expect(throws: FreshetError.self) { try configuration(url) }
    #expect("\(try #require(error))".contains("database number"))
  }
}
#endif
