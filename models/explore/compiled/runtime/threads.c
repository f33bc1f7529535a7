/* Threads: jobs 0 .. jobs-1 of one kind, whoever is free takes the next */

enum { SPINS = 20000 };

static void work(explorer *e) {
  int i;
  while ((i = __atomic_fetch_add(&e->next, 1, __ATOMIC_ACQ_REL)) < e->jobs) e->job(e, i);
}

/* Phases last less than a millisecond: who sleeps between them wakes too late to be of use. */
static void pause_briefly(int i) {
  if (i % 64 == 63) sched_yield();
}

static void *helper(void *of) {
  explorer *e = of;
  uint64_t seen = 0;
  for (;;) {
    for (int i = 0; i < SPINS; i++) {
      if (__atomic_load_n(&e->ticket, __ATOMIC_ACQUIRE) != seen) break;
      pause_briefly(i);
    }
    pthread_mutex_lock(&e->lock);
    while (e->ticket == seen && !e->ending) pthread_cond_wait(&e->go, &e->lock);
    if (e->ending) break;
    seen = e->ticket;
    pthread_mutex_unlock(&e->lock);
    work(e);
    pthread_mutex_lock(&e->lock);
    if (!--e->working) pthread_cond_signal(&e->done);
    pthread_mutex_unlock(&e->lock);
  }
  pthread_mutex_unlock(&e->lock);
  return NULL;
}

static void share(explorer *e, void (*job)(explorer *, int), int jobs, uint64_t amount) {
  if (e->threads == 1 || amount < 1024 || e->count < e->alone) {
    for (int i = 0; i < jobs; i++) job(e, i);
    return;
  }
  pthread_mutex_lock(&e->lock);
  e->job = job, e->jobs = jobs, e->next = 0, e->working = e->threads - 1, e->ticket++;
  pthread_cond_broadcast(&e->go);
  pthread_mutex_unlock(&e->lock);
  work(e);
  for (int i = 0; i < SPINS && __atomic_load_n(&e->working, __ATOMIC_ACQUIRE); i++)
    pause_briefly(i);
  pthread_mutex_lock(&e->lock);
  while (e->working) pthread_cond_wait(&e->done, &e->lock);
  pthread_mutex_unlock(&e->lock);
}
