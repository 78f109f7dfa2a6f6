import Foundation
import TestSupport
import Testing

/// Each public operation is swept, or it is said here why it need not be.
@Suite struct SweepCoverageTests {
  /// What is not swept, and why.
  private static let exceptions: [String: String] = [
    "DefaultTransport.send": "it needs a server: CurlFlowTests cancel at any moment",
    "CurlTransport.closeIdleConnections": "it needs a server: ClientShutdownTests call it",
    "URLSessionTransport.closeIdleConnections": "it needs Apple's platforms",
    "Transport.closeIdleConnections": "a default that does nothing",
    "TraceContextInterceptor.intercept": "it waits for nobody but the transfer inside",
    "Client.cancelUpload": "it calls as `send` does, which is swept, and removes a file",
    "AsyncSequence.fallback": "FallbackTests cancel it, and its pipelines are swept",
    "Connectivity.states": "ConnectivityTests cancel it",
    "Connectivity.waitUntilOnline": "ConnectivityTests cancel a call that waits",
    "WebSocket.send": "it needs a server: WebSocketTests cancel it",
    "WebSocket.ping": "it needs a server: WebSocketTests cancel it",
    "WebSocket.close": "it needs a server: WebSocketTests cancel it",
    "WebSocket.updates": "it needs a server: WebSocketReconnectionTests read it",
    "MemoryStore.find": "it waits for nobody",
    "MemoryStore.keep": "it waits for nobody",
    "MemoryStore.refresh": "it waits for nobody",
    "MemoryStore.remove": "it waits for nobody",
    "MemoryStore.invalidate": "it waits for nobody",
    "MemoryStore.invalidationTime": "it waits for nobody",
    "SeedStore.find": "it waits for nobody; the calls of a client use it",
    "SeedStore.invalidate": "it waits for nobody",
    "AsyncSequence.appending": "it makes a chain, whose stages are swept",
    "FetchChain.inserting": "it makes a chain, whose stages are swept",
    "FetchChain.removing": "it makes a chain, whose stages are swept",
    "FetchChain.replacing": "it makes a chain, whose stages are swept",
    "FetchStage.reply": "a default that waits for nobody",
    "AnnounceStale.reply": "the chains that have the stage are swept",
    "Coalesce.reply": "the chains that have the stage are swept",
    "Lookup.reply": "the chains that have the stage are swept",
    "Persist.reply": "the chains that have the stage are swept",
    "Revalidate.reply": "the chains that have the stage are swept",
    "DiskStore.lookUp": "the chains that look in the store call it",
    "ResourceStore.expire": "a default that calls the store's own",
    "DiskStore.expire": "the chains that persist in the store call it",
    "ResourceSource.invalidationTime": "a default that is nil",
    "ResourceSource.findPart": "a default that is nil",
    "ResourceSource.removeParts": "a default that does nothing",
    "ResourceSource.lookUp": "a default that calls find",
    "DiskStore.findPart": "the chains that look in the store call it",
    "DiskStore.removeParts": "it waits for nobody",
    "ResourceStore.invalidate": "a default that calls the store's own",
    "ResourceStore.remove": "a default that calls the store's own",
    "ChangeQueue.add": "a write of the store, which is swept; ChangeQueueTests end it",
    "ChangeQueue.state": "a read of the store, which is swept",
    "ChangeQueue.idle": "an observation, which is swept",
    "ChangeQueue.states": "an observation, which is swept",
    "ChangeQueue.remove": "a write of the store, which is swept",
    "ChangeQueue.removeAll": "a write of the store, which is swept",
    "ChangeQueue.retryAll": "a write of the store, which is swept",
    "ChangeQueue.retry": "a write of the store, which is swept",
    "ChangeQueue.stop": "it waits for what it has cancelled; ChangeQueueTests call it",
    "ChangeReceipt.output": "ChangeQueueTests end its wait",
    "ModelObservation.withPending": "the same observation, which is swept",
    "LiveSequence.refetched": "the same sequence, which is swept",
    "Array.persist": "what `persist(in:)` and `live` call",
    "ModelStoring.save": "what a client calls that saves what it decodes",
    "Optional.persist": "what `persist(in:)` and `live` call",
    "PersistableContainer.persist": "what `persist(in:)` and `live` call",
    "PersistableModel.persist": "what `persist(in:)` and `live` call",
  ]

  private static let sources = ["Freshet", "FreshetModels"]
    .map { module in
      URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources/\(module)").standardizedFileURL
    }

  private static func names() throws -> Set<String> {
    try sources.reduce(into: []) { try $0.formUnion(PublicOperations.names(in: $1)) }
  }

  private static let swept = Set(
    (SweptOperation.all + SweptOperation.endless).flatMap(\.covered)
  )

  @Test func `each public operation is swept, or the reason for leaving it out is stated`() throws {
    let names = try Self.names()

    #expect(names.count > 60)
    #expect(names.subtracting(Self.swept).subtracting(Self.exceptions.keys).sorted() == [])
  }

  @Test func `lists only existing operations, once each`() throws {
    let names = try Self.names()

    #expect(Self.swept.union(Self.exceptions.keys).subtracting(names).sorted() == [])
    #expect(Self.swept.intersection(Self.exceptions.keys).sorted() == [])
  }

  @Test func `a new operation is found`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "freshet-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = """
      public struct Rain: AsyncSequence {
        public mutating func next() async -> Int? { nil }
      }
      extension Cloud {
        // public func hidden() async {}
        func own() async {}
        public func plain(_ body: @Sendable () async -> Void) -> Int { 1 }
        public func pour(
          _ amount: Int
        ) async throws(Dry) -> Int { amount }
        public func rain() -> Rain { Rain() }
        public var level: Int {
          get async { 1 }
        }
        public var drops: some AsyncSequence<Int, Never> { Rain() }
      }
      """
    try source.write(to: folder.appending(path: "Rain.swift"), atomically: true, encoding: .utf8)

    let names = try PublicOperations.names(in: folder).sorted()

    #expect(names == ["Cloud.drops", "Cloud.level", "Cloud.pour", "Cloud.rain"])
  }
}
