"""The kernel for large recordings, in C, compiled when it is first used."""
