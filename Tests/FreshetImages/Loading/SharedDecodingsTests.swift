import Foundation
import Freshet
import FreshetTesting
import Synchronization
import Testing

@testable import FreshetImages

@MainActor
@Suite struct SharedDecodingsTests {
  private let decodings = SharedDecodings()
  private let picture = LoadedImage.letter("a").picture
  private let key = SharedDecodings.Key(
    digest: LoadedImage.letter("a").digest,
    target: nil,
    animation: .frames
  )

  private func task(
    _ count: Counter,
    _ gate: Gate,
    _ result: Result<Picture, ImageError>
  ) -> Task<Result<Picture, ImageError>, Never> {
    Task { @MainActor [decodings, key] in
      do throws(ImageError) {
        let picture = try await decodings.picture(key) { () async throws(ImageError) in
          count.add()
          do throws(FreshetError) { try await gate.enter() } catch { throw .resource(error) }
          return try result.get()
        }
        return .success(picture)
      } catch {
        return .failure(error)
      }
    }
  }

  /// The main actor runs its tasks in order.
  private func allHaveBegun() async {
    await Task { @MainActor in }.value
  }

  @Test func `ends the wait of a cancelled caller`() async {
    let (count, gate) = (Counter(), Gate())
    let first = task(count, gate, .success(picture))
    await gate.waiting()
    let second = task(count, gate, .success(picture))
    await allHaveBegun()

    second.cancel()

    #expect(await second.value == .failure(.resource(.cancelled)))
    gate.open()
    #expect(await first.value == .success(picture))
  }

  @Test func `makes a picture once for all concurrent callers`() async {
    let (count, gate) = (Counter(), Gate())
    let first = task(count, gate, .success(picture))
    await gate.waiting()
    let others = (0..<5).map { _ in task(count, gate, .success(picture)) }
    await allHaveBegun()
    #expect(decodings.waitingCount == 6)

    gate.open()

    for task in [first] + others {
      #expect(await task.value == .success(picture))
    }
    #expect(count.value == 1)
    #expect(decodings.waitingCount == 0)
  }

  @Test func `forwards a failure of the picture to all`() async {
    let (count, gate) = (Counter(), Gate())
    let first = task(count, gate, .failure(.damaged("it is")))
    await gate.waiting()
    let second = task(count, gate, .failure(.damaged("it is")))
    await allHaveBegun()

    gate.open()

    #expect(await first.value == .failure(.damaged("it is")))
    #expect(await second.value == .failure(.damaged("it is")))
    #expect(count.value == 1)
    #expect(decodings.waitingCount == 0)
  }

  @Test func `continues for another caller when the first one is cancelled`() async {
    let (count, gate) = (Counter(), Gate())
    let first = task(count, gate, .success(picture))
    await gate.waiting()
    let second = task(count, gate, .success(picture))
    await allHaveBegun()

    first.cancel()

    #expect(await first.value == .failure(.resource(.cancelled)))
    gate.open()
    #expect(await second.value == .success(picture))
    #expect(count.value == 1)
  }

  @Test func `ends with its last caller`() async {
    let (count, gate) = (Counter(), Gate())
    let tasks = (0..<3).map { _ in task(count, gate, .success(picture)) }
    await gate.waiting()
    await allHaveBegun()

    for task in tasks {
      #expect(gate.waitingCount == 1)
      task.cancel()
      #expect(await task.value == .failure(.resource(.cancelled)))
    }

    #expect(gate.waitingCount == 0)
    #expect(decodings.waitingCount == 0)
  }

  @Test func `another caller reads the bytes if the first one cannot`() async {
    let (count, gate) = (Counter(), Gate())
    let unread = ImageError.resource(.file("it is gone", path: "/a"))
    let first = task(count, gate, .failure(unread))
    await gate.waiting()
    let second = task(count, gate, .success(picture))
    await allHaveBegun()

    gate.open()

    #expect(await first.value == .failure(unread))
    #expect(await second.value == .success(picture))
    #expect(count.value == 2)
  }

  private final class Counter: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .relaxed) }

    func add() { count.add(1, ordering: .relaxed) }
  }
}
