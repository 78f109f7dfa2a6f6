/// A pipeline whose elements are converted one after the other, on the caller's actor.
///
/// It ends with the first failure. Elements that are converted to `nil` are left out.
package struct ConvertSequence<
  Base: AsyncSequence & Sendable,
  Element: Sendable,
  Failure: Error
>: AsyncSequence, Sendable {
  package let base: Base
  package let stageDescription: String
  private let failure: @Sendable (Base.Failure) async -> Failure
  private let convert: @Sendable (Base.Element) async throws(Failure) -> Element?

  package init(
    _ base: Base,
    _ stageDescription: String,
    failure: @escaping @Sendable (Base.Failure) async -> Failure,
    convert: @escaping @Sendable (Base.Element) async throws(Failure) -> Element?
  ) {
    self.base = base
    self.stageDescription = stageDescription
    self.failure = failure
    self.convert = convert
  }

  package func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), failure: failure, convert: convert)
  }
}

// MARK: - Values

extension ConvertSequence {
  /// Makes a pipeline whose values are converted, while progress passes through.
  package init<Input, Output>(
    _ base: Base,
    _ stageDescription: String,
    failure: @escaping @Sendable (Base.Failure) async -> Failure,
    values convert: @escaping @Sendable (Input) async throws(Failure) -> Output
  ) where Base.Element == Event<Input>, Element == Event<Output> {
    self.init(base, stageDescription, failure: failure) { event throws(Failure) in
      switch event {
      case .progress(let progress): .progress(progress)
      case .value(let value): .value(try await convert(value))
      }
    }
  }

  /// Makes a pipeline whose values are converted, with the failure of the one before it.
  package init<Input, Output>(
    _ base: Base,
    _ stageDescription: String,
    values convert: @escaping @Sendable (Input) async throws(FreshetError) -> Output
  )
  where
    Base.Element == Event<Input>,
    Element == Event<Output>,
    Failure == Base.Failure,
    Failure: PipelineFailure
  {
    self.init(
      base,
      stageDescription,
      failure: { $0 },
      values: { value throws(Failure) in
        do throws(FreshetError) {
          return try await convert(value)
        } catch {
          throw Failure(error)
        }
      }
    )
  }
}

// MARK: - Iterator

extension ConvertSequence {
  package struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    let failure: @Sendable (Base.Failure) async -> Failure
    let convert: @Sendable (Base.Element) async throws(Failure) -> Element?
    var isOver = false

    package mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Failure) -> Element? {
      guard !isOver else { return nil }
      isOver = true
      while let element = try await element() {
        guard let converted = try await convert(element) else { continue }
        isOver = false
        return converted
      }
      return nil
    }

    private mutating func element() async throws(Failure) -> Base.Element? {
      do {
        return try await base.next(isolation: #isolation)
      } catch {
        throw await failure(error)
      }
    }
  }
}

@available(*, unavailable)
extension ConvertSequence.Iterator: Sendable {}

// MARK: - Description

extension ConvertSequence: PipelineStage {}
