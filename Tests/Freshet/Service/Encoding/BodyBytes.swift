import Foundation

@testable import Freshet

/// The bytes that a body would send.
func collect(_ body: RequestBody) async throws -> Data {
  var data = Data()
  for try await chunk in body.chunks { data += chunk }
  return data
}

/// The bytes of a body that is in memory.
func bytes(of body: RequestBody) -> Data {
  if case .bytes(let data) = body.source { data } else { Data() }
}

/// The chunks that a body would send.
func chunks(of body: RequestBody) -> RequestBody.Chunks { body.chunks }
