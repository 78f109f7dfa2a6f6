import Freshet
import FreshetInspector

private func inspecting(client: Client) async throws -> Inspector {
  let inspector = try await client.inspect()
  // Freshet inspector: http://127.0.0.1:51344/W3k…/
  return inspector
}

private func sharing<Drafts: AsyncSequence & Sendable>(
  api: Client,
  images: Client,
  drafts: Drafts
) async throws -> Inspector where Drafts.Element: Sendable {
  let inspector = try Inspector(port: 8_400) { $0.bodies = .shown(upTo: 64 << 10) }
  inspector.add(api, name: "API")
  inspector.add(images, name: "Images")
  inspector.show("Drafts", drafts)
  return inspector
}

private func responding(target: String, fields: HTTPHeaders) async -> InspectorResponse {
  let inspector = Inspector { $0.hosts = ["admin.example.org"] }
  let response = await inspector.response(
    to: InspectorRequest(target: target, headers: fields)
  )
  return response
}
