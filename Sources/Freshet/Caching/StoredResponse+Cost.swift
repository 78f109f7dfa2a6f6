import Foundation

extension StoredResponse {
  /// About how many bytes it takes to keep the response: body, head, key and an overhead.
  var cost: Int {
    var cost = 256 + key.text.utf8.count
    for field in head.headers {
      cost += field.name.rawValue.utf8.count + field.value.utf8.count + 16
    }
    return cost + Int(clamping: body.length)
  }

  /// The same response, a body in a file read.
  func withBodyInMemory() throws(FreshetError) -> StoredResponse {
    if case .bytes = body.storage { return self }
    do throws(FreshetError) {
      return with(body: ResourceBody(try body.data(limit: .max)), digest: digest)
    } catch {
      throw error.store("the body could not be read")
    }
  }
}
