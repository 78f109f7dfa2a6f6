import Foundation

extension StoredResponse {
  /// About how many bytes it takes to keep the response on a disk: body, head, key and an overhead.
  var cost: Int { cost(overhead: 256, ofField: 16) }

  /// The same in memory, where what holds its parts together is larger: as measured with the
  /// responses of nginx, of 50 bytes to 10 KiB, within a tenth.
  var memoryCost: Int { cost(overhead: 704, ofField: 64) }

  private func cost(overhead: Int, ofField fieldOverhead: Int) -> Int {
    var cost = overhead + key.text.utf8.count
    for field in head.headers {
      cost += field.name.rawValue.utf8.count + field.value.utf8.count + fieldOverhead
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
