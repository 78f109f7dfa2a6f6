public import Foundation
public import Freshet

/// Loads pictures: a client's resources, decoded, kept in memory, and shared by whoever shows them.
///
/// A loader is a value; copies share its cache. An app makes one for each client that
/// it shows pictures of and hands it to its views. Nothing is global.
///
/// - Equal requests at the same time share one transfer, which ends with its last reader, and are
///   decoded once.
/// - Pictures are decoded off the main actor, a few at a time, reduced to their target before they
///   are decoded in full where the format allows it.
/// - What is shown obeys the same stores, policies and rules of HTTP as any resource of the client.
///
/// ```swift
/// let loader = ImageLoader(client)
/// for await phase in loader.image(at: url) { … }
/// let picture = try await loader.image(at: url).value.picture
/// ```
public struct ImageLoader: Sendable {
  /// What fetches the resources.
  public let client: Client
  /// What the loader is made of.
  public let configuration: Configuration
  let workshop: PictureWorkshop

  /// Makes a loader; the closure changes the default configuration.
  public init(_ client: Client, _ configure: (inout Configuration) -> Void = { _ in }) {
    var configuration = Configuration()
    configure(&configuration)
    self.client = client
    self.configuration = configuration
    workshop = PictureWorkshop(
      decoder: configuration.decoder,
      limits: configuration.limits,
      cache: configuration.memory,
      queue: DecodingQueue(width: configuration.maximumConcurrentDecodings)
    )
  }

  /// What a loader is made of.
  public struct Configuration: Sendable {
    /// Where decoded pictures are kept; a cache of its own by default, `nil` for none.
    public var memory: PictureCache? = PictureCache()
    /// What makes pictures of bytes; the platform's decoder by default.
    public var decoder: any PictureDecoder = SystemPictureDecoder()
    /// What one picture may cost.
    public var limits = DecodingLimits()
    /// How many pictures are decoded at the same time; one for each core by default, at most 4.
    public var maximumConcurrentDecodings = min(4, ProcessInfo.processInfo.activeProcessorCount)
    /// How loads show themselves unless they say otherwise.
    public var options = ImageOptions()
  }
}

extension ImageLoader {
  /// Loads what is at a URL.
  ///
  /// - Parameters:
  ///   - url: An absolute `http` or `https` URL.
  ///   - target: The box that it is to fill; its full size by default.
  ///   - options: How the load shows itself; as the loader is configured, by default.
  /// - Returns: A cold sequence of phases.
  public func image(
    at url: URL,
    target: ImageTarget? = nil,
    options: ImageOptions? = nil
  ) -> ImageSequence {
    image(ImageRequest(url, target: target), options: options)
  }

  /// Loads what a request describes.
  ///
  /// - Parameters:
  ///   - request: What is wanted.
  ///   - options: How the load shows itself; as the loader is configured, by default.
  /// - Returns: A cold sequence of phases.
  public func image(_ request: ImageRequest, options: ImageOptions? = nil) -> ImageSequence {
    ImageSequence(loader: self, request: request, options: options ?? configuration.options)
  }

  /// The picture that was decoded last for an equal request, at once and without asking anybody.
  ///
  /// - Parameter request: What is wanted.
  /// - Returns: The picture, or `nil` if there is none or its response forbids stale use: whether it
  ///   is still right, ``image(_:options:)`` tells.
  public func remembered(_ request: ImageRequest) -> LoadedImage? {
    guard let memory = configuration.memory,
      let entry = memory.find(request.identity(for: client)), entry.mayBeShownStale
    else { return nil }
    return entry.image
  }
}

extension ImageLoader {
  /// The chain behind a load: the client's resource, decoded.
  func events(
    of request: ImageRequest,
    _ options: ImageOptions
  ) -> PictureSequence<ResourceSequence> {
    var policy = request.policy ?? client.configuration.policy
    // Whoever withholds the stale copy leaves it out later: one load serves both.
    policy.stale = .beforeValidation
    policy.showsArrival = options.arrival == .shown
    return PictureSequence(
      base: client.resource(request.resource, policy: policy),
      workshop: workshop,
      identity: request.identity(for: client)
    )
  }
}
