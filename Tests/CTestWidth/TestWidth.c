#include <stdlib.h>

// Limits how many test cases run at once, unless the environment says so already.
//
// All ten thousand cases would begin together, and each task that another one resumes would wait behind all of
// them: for a minute and more on a slow machine, which is longer than a request or a stored response lives. Swift
// Testing reads the variable when it starts; only code that runs before it can set it.
__attribute__((constructor)) static void limit_test_width(void) {
    setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "32", 0);
}
