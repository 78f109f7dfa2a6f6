// swift-format-ignore-file
// The interface of SwiftUI that the sources use, without a body: for the type checker on Linux.
@_exported import CoreGraphics

@MainActor
public protocol View {
  associatedtype Body: View
  @ViewBuilder var body: Body { get }
}

extension Never: View {
  public var body: Never { fatalError() }
}

public protocol Leaf: View where Body == Never {}
extension Leaf {
  public var body: Never { fatalError() }
}

public struct EmptyView: Leaf {
  public init() {}
}
extension Optional: View where Wrapped: View {
  public var body: Never { fatalError() }
}
public struct TupleView<Content>: Leaf {}

@MainActor
@resultBuilder
public struct ViewBuilder {
  public static func buildBlock() -> EmptyView { EmptyView() }
  public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
  public static func buildBlock<each Content: View>(
    _ content: repeat each Content
  ) -> TupleView<(repeat each Content)> { TupleView() }
  public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
  public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
}

@propertyWrapper
public struct State<Value> {
  private let value: Value
  public init(wrappedValue: Value) { value = wrappedValue }
  public var projectedValue: Binding<Value> { Binding(wrappedValue: wrappedValue) }
  public var wrappedValue: Value {
    get { value }
    nonmutating set {}
  }
}
extension State where Value: ExpressibleByNilLiteral {
  public init() { self.init(wrappedValue: nil) }
}

public struct ZStack<Content: View>: Leaf {
  public init(@ViewBuilder content: () -> Content) {}
}
public struct ProgressView: Leaf {
  public init() {}
}
public struct Image: Leaf {
  public init(decorative image: CGImage, scale: CGFloat) {}
  public func resizable() -> Image { self }
}
public enum ContentMode {
  case fit, fill
}
public protocol Shape {}
public struct Rectangle: Shape {
  public init() {}
}
public enum Edge {
  case top, leading, bottom, trailing
}
public struct Animation: Sendable {
  public static let easeInOut = Animation()
}
public struct AnyTransition: Sendable {
  public static let identity = AnyTransition()
  public static let opacity = AnyTransition()
  public static let scale = AnyTransition()
  public static func move(edge: Edge) -> AnyTransition { identity }
  public static func push(from edge: Edge) -> AnyTransition { identity }
  public func combined(with other: AnyTransition) -> AnyTransition { self }
}

extension View {
  public func onAppear(perform action: (() -> Void)? = nil) -> some View { self }
  public func onDisappear(perform action: (() -> Void)? = nil) -> some View { self }
  public func onChange<Value: Equatable>(
    of value: Value,
    initial: Bool = false,
    _ action: @escaping () -> Void
  ) -> some View { self }
  public func aspectRatio(
    _ aspectRatio: CGFloat? = nil,
    contentMode: ContentMode
  ) -> some View { self }
  public func clipped(antialiased: Bool = false) -> some View { self }
  public func contentShape<S: Shape>(_ shape: S, eoFill: Bool = false) -> some View { self }
  public func id<ID: Hashable>(_ id: ID) -> some View { self }
  public func transition(_ transition: AnyTransition) -> some View { self }
  public func animation<Value: Equatable>(_ animation: Animation?, value: Value) -> some View {
    self
  }
  public func task<ID: Equatable>(
    id: ID,
    @_inheritActorContext _ action: @escaping @isolated(any) @Sendable () async -> Void
  ) -> some View { self }
}

// MARK: - The sample app

@MainActor
public protocol Scene {}
@MainActor
public protocol App {
  associatedtype Body: Scene
  @SceneBuilder var body: Body { get }
  init()
}
extension App {
  public static func main() {}
}
@MainActor
@resultBuilder
public struct SceneBuilder {
  public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}
public struct WindowGroup<Content: View>: Scene {
  public init(@ViewBuilder content: () -> Content) {}
}
public struct ConditionalContent<First: View, Second: View>: Leaf {}
extension ViewBuilder {
  public static func buildEither<First: View, Second: View>(
    first: First
  ) -> ConditionalContent<First, Second> { ConditionalContent() }
  public static func buildEither<First: View, Second: View>(
    second: Second
  ) -> ConditionalContent<First, Second> { ConditionalContent() }
}
@propertyWrapper
public struct Binding<Value> {
  public var wrappedValue: Value
  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}
public struct Text: Leaf {
  public init<Content: StringProtocol>(_ content: Content) {}
}
public struct Button: Leaf {
  public init<Title: StringProtocol>(_ title: Title, action: @escaping @MainActor () -> Void) {}
}
public struct List<Content: View>: Leaf {
  public init(@ViewBuilder content: () -> Content) {}
}
public struct ForEach<Data: RandomAccessCollection, Content: View>: Leaf
where Data.Element: Identifiable {
  public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {}
}
public struct HorizontalAlignment {
  public static var leading: HorizontalAlignment { HorizontalAlignment() }
}
public struct VStack<Content: View>: Leaf {
  public init(alignment: HorizontalAlignment, @ViewBuilder content: () -> Content) {}
}
extension ProgressView {
  public init(value: Double) {}
}
extension View {
  public func task(
    @_inheritActorContext _ action: @escaping @isolated(any) @Sendable () async -> Void
  ) -> some View { self }
  public func refreshable(action: @escaping @Sendable () async -> Void) -> some View { self }
  public func sheet<Item: Identifiable, Content: View>(
    item: Binding<Item?>,
    @ViewBuilder content: @escaping (Item) -> Content
  ) -> some View { self }
  public func padding() -> some View { self }
  public func frame(width: CGFloat, height: CGFloat) -> some View { self }
  public func frame(
    minWidth: CGFloat? = nil,
    maxWidth: CGFloat? = nil,
    minHeight: CGFloat? = nil,
    maxHeight: CGFloat? = nil
  ) -> some View { self }
}
