/* Judges files by all criteria, for a run under sanitizers: driver FORM FILE... */

#include <fcntl.h>

int main(int count, char **names)
{
    for (int i = 2; i < count; i++) {
        int file = open(names[i], O_RDONLY);
        Kernel *k = kernel_new(file, atoi(names[1]));
        int code = kernel_read(k), answer = 0;
        for (int criterion = 0; criterion < 9 && code == DONE; criterion++)
            for (int sessions = 0; sessions < 2 && code == DONE; sessions++)
                code = kernel_judge(k, criterion, sessions, &answer);
        printf("%d", code);
        kernel_free(k);
        close(file);
    }
    return 0;
}
