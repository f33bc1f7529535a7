"""Large recordings are judged by the kernel, which reads the file itself, as far as it can."""
