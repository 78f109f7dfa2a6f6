// The target has no interface: it is linked for what it does when the tests are loaded.
