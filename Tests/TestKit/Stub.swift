// Filled by the server's tests.
