import Freshet
import Testing

@testable import FreshetImages

@Suite struct ImageViewStateTests {
  let one: ImageRequest
  let two: ImageRequest

  init() throws {
    one = ImageRequest(try Request("http://a.example/1"))
    two = ImageRequest(try Request("http://a.example/2"))
  }

  private func words(_ outputs: [ImageViewState.Output]) -> [String] {
    outputs.map(\.words)
  }

  @Test func `begins with a load and the wait for the activity indicator`() {
    var state = ImageViewState()

    let outputs = state.receive(.show(one, ImageOptions(), remembered: nil))

    #expect(words(outputs) == ["load", "wait"])
  }

  @Test func `never starts the activity indicator on request`() {
    var state = ImageViewState()

    let outputs = state.receive(
      .show(one, ImageOptions { $0.activity = .never }, remembered: nil)
    )

    #expect(words(outputs) == ["load"])
  }

  @Test func `shows a cached picture immediately and loads behind it`() {
    var state = ImageViewState()

    let outputs = state.receive(.show(one, ImageOptions(), remembered: .letter("a")))

    #expect(words(outputs) == ["picture a", "report preview a", "load"])
  }

  @Test func `does nothing for an equal request`() throws {
    var state = ImageViewState()
    _ = state.receive(.show(one, ImageOptions(), remembered: nil))
    let equal = ImageRequest(try Request("HTTP://A.example:80/1"))

    #expect(state.receive(.show(equal, ImageOptions(), remembered: nil)).isEmpty)
    _ = state.receive(.phase(.image(.letter("a"), .appeared), state.token))
    #expect(state.receive(.show(equal, ImageOptions(), remembered: nil)).isEmpty)
  }

  @Test func `an equal request with other options changes nothing of the running load`() {
    var state = ImageViewState()
    _ = state.receive(.show(one, ImageOptions(), remembered: nil))
    _ = state.receive(.show(one, ImageOptions { $0.local = .withheld }, remembered: nil))
    let preview = LoadedImage.letter("a", .disk, .stale, isFinal: false)

    let outputs = state.receive(.phase(.preview(preview), state.token))

    #expect(words(outputs).contains("picture a"))
  }

  @Test func `reports a picture from memory once, although the load finds it too`() {
    var state = ImageViewState()
    let options = ImageOptions { $0.completion = .always }
    let remembered = LoadedImage.letter("a", .memory, .stale, isFinal: false)

    let first = state.receive(.show(one, options, remembered: remembered))
    let next = state.receive(.phase(.preview(remembered), state.token))
    let end = state.receive(.phase(.image(.letter("a"), .unchanged), state.token))

    #expect(words(first) == ["picture a", "report preview a", "load"])
    #expect(words(next).isEmpty)
    #expect(words(end) == ["report image a, unchanged"])
  }

  @Test func `loads again after a failure`() {
    var state = ImageViewState()
    _ = state.receive(.show(one, ImageOptions(), remembered: nil))
    _ = state.receive(.phase(.failure(.damaged(""), showing: nil), state.token))

    let outputs = state.receive(.show(one, ImageOptions(), remembered: nil))

    #expect(words(outputs) == ["placeholder", "load", "wait"])
  }

  @Test func `cancels the former load and shows the placeholder`() {
    var state = ImageViewState()
    _ = state.receive(.show(one, ImageOptions(), remembered: nil))
    _ = state.receive(.activityIsDue(state.token))
    _ = state.receive(.phase(.preview(.letter("a")), state.token))

    let outputs = state.receive(.show(two, ImageOptions(), remembered: nil))

    #expect(words(outputs) == ["cancel", "placeholder", "load", "wait"])
  }

  @Test func `shows nothing of a former request`() {
    var state = ImageViewState()
    _ = state.receive(.show(one, ImageOptions(), remembered: nil))
    let former = state.token
    _ = state.receive(.show(nil, ImageOptions(), remembered: nil))

    #expect(state.receive(.phase(.image(.letter("a"), .appeared), former)).isEmpty)
    #expect(state.receive(.activityIsDue(former)).isEmpty)
    #expect(state.content.image == nil)
  }

  @Test func `shows nothing of a former load of the same request`() {
    var state = ImageViewState()
    _ = state.receive(.show(one, ImageOptions(), remembered: nil))
    let former = state.token
    _ = state.receive(.show(two, ImageOptions(), remembered: nil))
    _ = state.receive(.show(one, ImageOptions(), remembered: nil))

    #expect(state.receive(.phase(.image(.letter("a"), .appeared), former)).isEmpty)
  }

  @Test func `ends its load when the view disappears, and loads again when it returns`() {
    var state = ImageViewState()
    _ = state.receive(.show(one, ImageOptions(), remembered: nil))
    _ = state.receive(.phase(.preview(.letter("a")), state.token))

    #expect(words(state.receive(.disappear)) == ["cancel"])
    #expect(state.content.image?.letter == "a")
    let outputs = state.receive(.show(one, ImageOptions(), remembered: .letter("a")))
    #expect(words(outputs) == ["load"])
  }

  @Test func `does not show the activity indicator over a picture`() {
    var state = ImageViewState()
    _ = state.receive(.show(one, ImageOptions(), remembered: nil))
    _ = state.receive(.phase(.preview(.letter("a")), state.token))

    #expect(state.receive(.activityIsDue(state.token)).isEmpty)
  }

  @Test func `shows the frames of a picture whose first frame is visible`() {
    var state = ImageViewState()
    let still = LoadedImage.letter("a")
    let frame = Picture.Frame(still.picture.bitmap, duration: .milliseconds(100))
    let moving = LoadedImage(Picture(frame, others: [frame]), digest: still.digest)
    _ = state.receive(.show(one, ImageOptions(), remembered: still))
    _ = state.receive(.phase(.image(still, .unchanged), state.token))

    var outputs = state.receive(.show(two, ImageOptions(), remembered: nil))
    outputs += state.receive(.phase(.image(moving, .appeared), state.token))

    #expect(
      words(outputs) == ["placeholder", "load", "wait", "picture a, crossFade", "report image a"]
    )
    var shown = ImageViewState()
    _ = shown.receive(.show(one, ImageOptions(), remembered: still))
    let end = shown.receive(.phase(.image(moving, .unchanged), shown.token))
    #expect(words(end) == ["picture a"])
    #expect(shown.content.visiblePicture?.isAnimated == true)
  }

  @Test func `shows a picture again at another scale, which only changes a processed one`() {
    for (processors, reports) in [([], []), ([.circle], ["report preview a"])]
      as [([ImageProcessor], [String])]
    {
      let letter = LoadedImage.letter("a")
      let small = LoadedImage(letter.picture, digest: letter.digest, processors: processors)
      var large = small
      large.scale = 2
      var state = ImageViewState()
      _ = state.receive(.show(one, ImageOptions(), remembered: small))

      let outputs = state.receive(.show(two, ImageOptions(), remembered: large))

      #expect(words(outputs) == ["cancel", "picture a"] + reports + ["load"])
    }
  }

  @Test func `a failure leaves the picture from memory that the load has not found`() {
    var state = ImageViewState()
    _ = state.receive(.show(one, ImageOptions(), remembered: .letter("a")))

    let outputs = state.receive(.phase(.failure(.damaged(""), showing: nil), state.token))

    #expect(words(outputs) == ["report failure"])
    #expect(state.content.image?.letter == "a")
  }

  @Test func `draws no frame of another picture`() {
    let (a, b) = (LoadedImage.letter("a"), LoadedImage.letter("b"))
    let frame = DrawnFrame(look: a.look, bitmap: LoadedImage.letter("x").picture.bitmap)

    #expect(ImageContent.picture(a).bitmap(at: frame) == frame.bitmap)
    #expect(ImageContent.picture(b).bitmap(at: frame) == b.picture.bitmap)
    #expect(ImageContent.arriving(a.picture).bitmap(at: frame) == a.picture.bitmap)
    #expect(ImageContent.placeholder.bitmap(at: frame) == nil)
  }

  @Test func `reports no progress of a former request`() {
    var state = ImageViewState()
    _ = state.receive(.show(one, ImageOptions { $0.activity = .never }, remembered: nil))
    let told = state.receive(
      .phase(.loading(TransferProgress(completed: 5, total: 9)), state.token)
    )

    let outputs = state.receive(.show(two, ImageOptions { $0.activity = .never }, remembered: nil))
    let again = state.receive(.show(one, ImageOptions { $0.activity = .never }, remembered: nil))

    #expect(words(told) == ["progress 5"])
    #expect(words(outputs) == ["cancel", "no progress", "load"])
    #expect(words(again) == ["cancel", "load"])
  }

  @Test func `makes no transition to the same picture of another URL`() {
    var state = ImageViewState()
    _ = state.receive(.show(one, ImageOptions(), remembered: .letter("a")))

    let outputs = state.receive(.show(two, ImageOptions(), remembered: .letter("a")))
    let end = state.receive(.phase(.image(.letter("a"), .unchanged), state.token))

    #expect(words(outputs) == ["cancel", "load"])
    #expect(words(end).isEmpty)
  }
}
