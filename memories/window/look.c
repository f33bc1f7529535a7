/* What a memory has inside, for comparisons with the spec while all threads stand at step points.
   It is included after window.c. */

enum { NOBODY = -1, KEPT_BY_NOBODY = -2 };

int64_t window_look_clock(window *m) { return atomic_load(&m->clock); }

/* out: value, date, version, and the number of the participant that holds its lock. */
void window_look_object(window *m, uint32_t x, int64_t out[4])
{
    struct object *o = &m->object[x];
    uint64_t word = lock_of(o);
    out[0] = o->value, out[1] = o->date, out[2] = o->version;
    out[3] = !is_held(m, word) ? NOBODY
           : word == KEPT      ? KEPT_BY_NOBODY
                               : (int64_t)(word % WINDOW_PARTICIPANTS);
}

/* 1: the transaction has begun and has not ended. out: the number of its participant, label,
   bottom, commit time, and top: INT64_MAX is no end. */
int window_look_transaction(window_transaction *tx, int64_t out[5])
{
    out[0] = tx->number, out[1] = tx->label, out[2] = tx->bottom, out[3] = tx->commit_time;
    out[4] = atomic_load(&tx->slot->top);
    return tx->live;
}

/* out: whether it has read x, the value that it has read, whether that was overwritten, whether it
   has written x, and whether it has published x. */
void window_look_entry(const window_transaction *tx, uint32_t x, int64_t out[5])
{
    const struct entry *entry = known(tx, x);
    memset(out, 0, 5 * sizeof *out);
    if (!entry) return;
    out[0] = !!(entry->kinds & READ), out[1] = entry->copy;
    out[2] = out[0] && !(tx->memory->object[x].readers >> tx->number & 1);
    out[3] = !!(entry->kinds & WROTE), out[4] = entry->version_written >= 0;
}
