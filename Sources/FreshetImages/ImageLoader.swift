public import Freshet
public import FreshetEssentials

/// Loads pictures: decodes the resources of a client, caches them in memory, and shares them among views.
///
/// A loader is a value, whose copies share its cache. An app creates one for each client whose pictures
/// it shows, and passes it to its views. Nothing is global.
///
/// - Concurrent equal requests share one transfer, which is cancelled with its last reader, and one decoding.
/// - Pictures are decoded off the main actor, a few at a time. If the format allows it, they are
///   reduced to their target before they are fully decoded.
/// - Pictures follow the same stores, policies and rules of HTTP as any resource of the client.
///
/// ```swift
/// let loader = ImageLoader(client)
/// for await phase in loader.image(at: url) { … }
/// let picture = try await loader.image(at: url).value.picture
/// ```
public struct ImageLoader: Sendable {
  /// The client that fetches the resources.
  public let client: Client
  /// The configuration of the loader.
  public let configuration: Configuration
  let workshop: PictureDecodingPipeline

  /// Creates a loader with the default configuration, changed by a closure.
  public init(_ client: Client, _ configure: (inout Configuration) -> Void = { _ in }) {
    var configuration = Configuration()
    configure(&configuration)
    self.client = client
    self.configuration = configuration
    workshop = PictureDecodingPipeline(
      decoder: configuration.decoder,
      limits: configuration.limits,
      cache: configuration.memory,
      queue: DecodingQueue(width: configuration.maximumConcurrentDecodings),
      seeds: client.configuration.seeds,
      disk: configuration.processed == .inMemoryAndOnDisk ? client.configuration.disk : nil
    )
  }

  /// The options of a loader.
  public struct Configuration: Sendable {
    /// The cache of decoded pictures; a new one by default, `nil` for none.
    public var memory: PictureCache? = PictureCache()
    /// The decoder; the platform's by default.
    public var decoder: any PictureDecoder = SystemPictureDecoder()
    /// The limits for decoding one picture.
    public var limits = DecodingLimits()
    /// The largest number of concurrent decodings; one for each core by default, at most 4.
    public var maximumConcurrentDecodings = min(4, ProcessInfo.processInfo.activeProcessorCount)
    /// The caches of processed pictures; only ``memory`` by default.
    public var processed = Processed.inMemory
    /// The options of loads that specify none.
    public var options = ImageOptions()

    /// The caches of processed pictures.
    public enum Processed: String, Sendable, Hashable, CaseIterable {
      /// Only the picture cache in memory.
      case inMemory
      /// The client's disk store too.
      ///
      /// The result is stored without loss beside the resource that it was made from, under a key that
      /// extends the resource's, and is removed and invalidated with it. A resource that is not in the
      /// disk store has no such results. It has its own use and size for the limits of the store, and
      /// is not found any more once the resource has other bytes.
      case inMemoryAndOnDisk
    }
  }
}

extension ImageLoader {
  /// Loads the image at a URL.
  ///
  /// - Parameters:
  ///   - url: An absolute `http` or `https` URL.
  ///   - target: The box that the image will fill; its full size by default.
  ///   - options: The options of the load; `nil`, the default, uses those of the loader.
  /// - Returns: A cold sequence of phases.
  public func image(
    at url: URL,
    target: ImageTarget? = nil,
    options: ImageOptions? = nil
  ) -> ImageSequence {
    image(ImageRequest(url, target: target), options: options)
  }

  /// Loads the image of a request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - options: The options of the load; `nil`, the default, uses those of the loader.
  /// - Returns: A cold sequence of phases.
  public func image(_ request: ImageRequest, options: ImageOptions? = nil) -> ImageSequence {
    ImageSequence(loader: self, request: request, options: options ?? configuration.options)
  }

  /// Returns the most recently decoded picture of an equal request immediately, from memory only.
  ///
  /// - Parameter request: The request.
  /// - Returns: The picture; `nil` if there is none, or if its response or the request's policy forbids
  ///   showing it. Its freshness is `fresh` or `stale`: use ``image(_:options:)`` to validate it.
  public func remembered(_ request: ImageRequest) -> LoadedImage? {
    let policy = request.policy ?? client.configuration.policy
    guard let memory = configuration.memory,
      let entry = memory.find(request.identity(for: client)), entry.mayBeShownStale,
      policy.expected == nil || policy.expected == .sha256(entry.image.digest),
      policy.seeds == .allowed || !entry.isSeed
    else { return nil }
    let outlook = entry.response?
      .outlook(
        expiry: policy.expiry,
        limits: policy.staleLimits,
        now: client.configuration.now()
      )
    return LoadedImage(
      remembered: entry.image,
      outlook?.freshness.isFresh == true ? .fresh : .stale
    )
  }
}

extension ImageLoader {
  /// Returns the events of a load: the client's resource, decoded.
  func events(
    of request: ImageRequest,
    _ options: ImageOptions
  ) -> PictureSequence<ResourceSequence> {
    var policy = request.policy ?? client.configuration.policy
    // Views that do not show stale copies drop them later, so that both kinds share one load.
    policy.stale = .beforeValidation
    policy.showsArrival = options.arrival == .shown
    var workshop = workshop
    workshop.changesCache = policy.persistence != .nowhere
    if policy.persistence != .everywhere { workshop.disk = nil }
    workshop.stores = client.configuration.stores(policy.persistence)
    workshop.removesBroken = policy.expiry == .never && policy.network != .forbidden
    return PictureSequence(
      base: client.resource(request.resource, policy: policy),
      workshop: workshop,
      identity: request.identity(for: client)
    )
  }
}
