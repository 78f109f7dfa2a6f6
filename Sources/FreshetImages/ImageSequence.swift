import Freshet

/// The phases of a load, see ``ImageLoader/image(_:options:)``.
///
/// - The sequence is cold: nothing happens before it is iterated, and iterating it twice loads twice.
/// - It never throws: a failure is its last phase. A cancelled reader gets no more phases.
/// - Ending or cancelling the iteration abandons the load, see ``ImageOptions/abandonment-swift.property``.
public struct ImageSequence: AsyncSequence, Sendable {
  let loader: ImageLoader
  let request: ImageRequest
  let options: ImageOptions
  /// A Boolean value that indicates whether a withheld local copy is a phase too, for views.
  var tellsWithheld = false

  /// Creates an iterator; nothing happens yet.
  public func makeAsyncIterator() -> Iterator {
    Iterator(sequence: self)
  }

  /// Runs the load to its end and returns the final picture; each access loads it again.
  ///
  /// - Throws: The reason why there is no picture. A stale copy in place of a failed request is not an
  ///   error; its ``LoadedImage/freshness`` is `stale`.
  public var value: LoadedImage {
    get async throws(ImageError) {
      for await phase in self {
        switch phase {
        case .image(let image, _): return image
        case .failure(let error, _): throw error
        case .placeholder, .loading, .arriving, .preview: break
        }
      }
      throw .resource(.cancelled)
    }
  }
}

extension ImageSequence {
  /// Pulls the phases of one load.
  public struct Iterator: AsyncIteratorProtocol {
    private let sequence: ImageSequence
    private var phases: PhaseMachine
    private var ride: LoadSubscription?

    init(sequence: ImageSequence) {
      self.sequence = sequence
      phases = PhaseMachine(
        local: sequence.options.local,
        tellsWithheld: sequence.tellsWithheld
      )
    }

    /// Waits for the next phase; `nil` after the last one.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> ImagePhase? {
      let (loader, request) = (sequence.loader, sequence.request)
      if !Task.isCancelled,
        let first = phases.begin(remembered: { loader.remembered(request) })
      {
        return first
      }
      while !phases.isOver, !Task.isCancelled {
        if let phase = await step() { return phase }
      }
      ride = nil
      return nil
    }

    private mutating func step() async -> ImagePhase? {
      let ride = self.ride ?? LoadSubscription(sequence)
      let phase: ImagePhase?
      do throws(ImageError) {
        let event = try await ride.next()
        phase = phases.receive(event)
      } catch {
        phase = Task.isCancelled ? phases.end() : phases.fail(error)
      }
      // The load ends with its last phase, before the reader asks for another one.
      self.ride = phases.isOver ? nil : ride
      return phase
    }
  }
}

@available(*, unavailable)
extension ImageSequence.Iterator: Sendable {}

extension ImageSequence: CustomStringConvertible {
  /// The description of the underlying pipeline.
  public var description: String { loader.events(of: request, options).description }
}
