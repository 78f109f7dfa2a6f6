/// The files of the page, as literals: a resource of the package would need its bundle beside the program, which one
/// that is linked statically has not.
enum Page {}
