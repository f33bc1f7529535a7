/* Writes histories as a recorder would: histories.c FORMAT TRANSACTIONS SEED > FILE

   append: lists in Jepsen's JSON. 20 processes, 10 operations a transaction, half of them reads;
   10 lists are in use at a time, and each gets 32 elements. A transaction takes effect when it
   ends: strictly serializable.
   versions: our events. 20 processes, 10 operations, half of them reads, 100,000 objects; reads
   and commits have numbers of versions. A transaction that meets a version that is newer than its
   begin aborts: opaque. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { PROCESSES = 20, OPERATIONS = 10, LISTS = 10, ELEMENTS = 32, OBJECTS = 100000 };

typedef struct {
    int runs, done;
    long begin;
    int writes[OPERATIONS];
    long object[OPERATIONS], value[OPERATIONS];
} Transaction;

static uint64_t state;

static uint64_t drawn(uint64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state >> 11) % below;
}

static Transaction running[PROCESSES];

static void append(long wanted)
{
    long (*lists)[ELEMENTS] = calloc((size_t)wanted + LISTS, sizeof *lists);
    int *sizes = calloc((size_t)wanted + LISTS, sizeof *sizes);
    int *given = calloc((size_t)wanted + LISTS, sizeof *given);
    long used[LISTS], next = LISTS, begun = 0, ended = 0, time = 0, index = 0;
    for (int i = 0; i < LISTS; i++)
        used[i] = i;
    while (ended < wanted) {
        int process = (int)drawn(PROCESSES);
        Transaction *one = &running[process];
        if (!one->runs && begun == wanted)
            continue;
        time += 1000 + (long)drawn(1000);
        printf("{\"type\":\"%s\",\"f\":\"txn\",\"value\":[", one->runs ? "ok" : "invoke");
        for (int i = 0; i < OPERATIONS; i++) {
            if (!one->runs) {
                long *slot = &used[drawn(LISTS)];
                one->object[i] = *slot;
                one->writes[i] = (int)drawn(2);
                if (one->writes[i]) {
                    one->value[i] = ++given[*slot];
                    if (given[*slot] == ELEMENTS)
                        *slot = next++;
                }
            }
            long object = one->object[i];
            const char *comma = i ? "," : "";
            if (one->writes[i]) {
                printf("%s[\"append\",%ld,%ld]", comma, object, one->value[i]);
                if (one->runs)
                    lists[object][sizes[object]++] = one->value[i];
            } else if (!one->runs)
                printf("%s[\"r\",%ld,null]", comma, object);
            else {
                printf("%s[\"r\",%ld,[", comma, object);
                for (int j = 0; j < sizes[object]; j++)
                    printf(j ? ",%ld" : "%ld", lists[object][j]);
                printf("]]");
            }
        }
        printf("],\"process\":%d,\"time\":%ld,\"index\":%ld}\n", process, time, index++);
        begun += !one->runs;
        ended += one->runs;
        one->runs = !one->runs;
    }
}

static void versions(long wanted)
{
    long *value = calloc(OBJECTS, sizeof *value), *version = calloc(OBJECTS, sizeof *version);
    long begun = 0, ended = 0, clock = 0, fresh = 0;
    while (ended < wanted) {
        int process = (int)drawn(PROCESSES), is_old = 0;
        Transaction *one = &running[process];
        if (!one->runs) {
            if (begun == wanted)
                continue;
            begun++;
            one->runs = 1;
            one->done = 0;
            one->begin = clock;
            printf("{\"type\":\"begin\",\"process\":%d}\n", process);
            continue;
        }
        if (one->done < OPERATIONS) {
            int i = one->done++;
            long object;
            for (int again = 1; again;) {
                again = 0;
                object = (long)drawn(OBJECTS);
                for (int j = 0; j < i; j++)
                    again |= one->object[j] == object;
            }
            one->object[i] = object;
            one->writes[i] = (int)drawn(2);
            one->value[i] = one->writes[i] ? ++fresh : value[object];
            is_old = version[object] > one->begin;
            if (!one->writes[i] && !is_old && version[object])
                printf("{\"type\":\"read\",\"process\":%d,\"object\":%ld,\"value\":%ld,"
                       "\"version\":%ld}\n", process, object, value[object], version[object]);
            else if (!one->writes[i] && !is_old)
                printf("{\"type\":\"read\",\"process\":%d,\"object\":%ld,\"value\":null,"
                       "\"version\":0}\n", process, object);
            else if (one->writes[i])
                printf("{\"type\":\"write\",\"process\":%d,\"object\":%ld,\"value\":%ld}\n",
                       process, object, one->value[i]);
            if (!is_old)
                continue;
        }
        for (int i = 0; i < one->done; i++)
            is_old |= version[one->object[i]] > one->begin;
        one->runs = 0;
        ended++;
        if (is_old) {
            printf("{\"type\":\"abort\",\"process\":%d}\n", process);
            continue;
        }
        printf("{\"type\":\"commit\",\"process\":%d,\"versions\":{", process);
        clock++;
        const char *comma = "";
        for (int i = 0; i < OPERATIONS; i++)
            if (one->writes[i]) {
                value[one->object[i]] = one->value[i];
                version[one->object[i]] = clock;
                printf("%s\"%ld\":%ld", comma, one->object[i], clock);
                comma = ",";
            }
        printf("}}\n");
    }
}

int main(int count, char **given)
{
    if (count != 4)
        return 2;
    state = 88172645463325252u + strtoull(given[3], NULL, 10) * 7919;
    setvbuf(stdout, NULL, _IOFBF, 1 << 22);
    (given[1][0] == 'a' ? append : versions)(atol(given[2]));
    return fflush(stdout) != 0;
}
