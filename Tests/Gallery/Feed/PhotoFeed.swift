import Foundation
import Freshet
import FreshetImages
import FreshetModels
import Observation

/// The state of the feed on the screen.
///
/// The stored photographs are there immediately. The first page is refreshed behind them, and further pages are
/// loaded when the user scrolls to the end.
@Observable
@MainActor
final class PhotoFeed {
  private(set) var photos: [Photo] = []
  private(set) var isRefreshing = false
  private(set) var isLoadingPage = false
  /// The description of the last failure, until a call succeeds.
  private(set) var failure: String?
  /// The explanations of the pictures on the screen, by photograph.
  private(set) var explanations: [Photo.ID: String] = [:]
  /// A closure that is called after each change, for views that do not observe.
  @ObservationIgnored var onChange: () -> Void = {}

  let images: ImageLoader
  private let client: Client
  private let models: ModelStore
  private let live: LiveSequence<[Photo], CallError<NoErrorModel>>
  private var nextPage: Int? = 2

  /// The folder of the stores, so that the next launch shows the photographs of this one immediately.
  static var folder: URL {
    let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
    return (caches ?? .temporaryDirectory).appending(path: "FreshetGallery")
  }

  init(baseURL: URL, folder: URL) {
    client = Client {
      $0.baseURL = baseURL
      $0.disk = DiskStore(directory: folder.appending(path: "responses"))
    }
    models = ModelStore(directory: folder.appending(path: "models"))
    images = ImageLoader(client) { $0.options.completion = .always }
    let feed = ModelQuery(Photo.self).sorted(by: \.position)
    live = client.live(ListPhotos(), feed, in: models)
  }

  /// Shows the stored photographs, refreshes them, and follows every change until the task is cancelled.
  func follow() async {
    do throws(FreshetError) {
      for try await value in live {
        photos = value.value
        if case .refreshing = value.state { isRefreshing = true } else { isRefreshing = false }
        if let error = value.failure { failure = "\(error)" }
        if case .fresh = value.state { failure = nil }
        onChange()
      }
    } catch {
      if !error.isCancelled { fail("\(error)") }
    }
  }

  /// Loads the first page again, as after pulling the list down.
  func refresh() async {
    await live.refresh()
  }

  /// Loads the next page, if there is one; the list follows the store.
  func loadMore() async {
    guard !isLoadingPage, let page = nextPage else { return }
    isLoadingPage = true
    onChange()
    do throws(CallError<NoErrorModel>) {
      nextPage = try await client.call(ListPhotos(page: page)).persist(in: models).output.nextPage
      failure = nil
    } catch {
      if !error.isCancelled { failure = "\(error)" }
    }
    isLoadingPage = false
    onChange()
  }

  /// The request for the picture of a photograph.
  func request(_ photo: Photo, scale: Double = 1) -> ImageRequest {
    let target = ImageTarget(width: 300, height: 200, scale: scale, mode: .fill)
    return ImageRequest(photo.url, target: target)
  }

  /// Records the result of a load for the inspector.
  func record(_ report: ImageReport, of photo: Photo) {
    explanations[photo.id] =
      switch report.outcome {
      case .preview(let image), .image(let image): image.explanation.description
      case .failure(let error): error.description
      }
    onChange()
  }

  private func fail(_ text: String) {
    failure = text
    onChange()
  }
}
