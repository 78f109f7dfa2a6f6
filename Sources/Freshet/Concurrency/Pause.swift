/// A task that waits until somebody lets it go on, which has to happen once.
///
/// It is not of the checked kind: the layout of that is only known when a program runs, and so would be
/// that of each state that holds one, and of each waiting function that a lock around such a state is
/// inlined into. It was a twentieth of what an item of a batch takes beyond its transfer.
typealias Pause = UnsafeContinuation<Void, Never>
