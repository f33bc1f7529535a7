/* Threads: jobs 0 .. jobs-1 of one kind, whoever is free takes the next */

static void work(explorer *e) {
  int i;
  while ((i = __atomic_fetch_add(&e->next, 1, __ATOMIC_ACQ_REL)) < e->jobs) e->job(e, i);
}

static void *helper(void *of) {
  explorer *e = of;
  uint64_t seen = 0;
  pthread_mutex_lock(&e->lock);
  for (;;) {
    while (e->ticket == seen && !e->ending) pthread_cond_wait(&e->go, &e->lock);
    if (e->ending) break;
    seen = e->ticket;
    pthread_mutex_unlock(&e->lock);
    work(e);
    pthread_mutex_lock(&e->lock);
    if (!--e->working) pthread_cond_signal(&e->done);
  }
  pthread_mutex_unlock(&e->lock);
  return NULL;
}

static void share(explorer *e, void (*job)(explorer *, int), int jobs, uint64_t amount) {
  if (e->threads == 1 || amount < 1024) {
    for (int i = 0; i < jobs; i++) job(e, i);
    return;
  }
  pthread_mutex_lock(&e->lock);
  e->job = job, e->jobs = jobs, e->next = 0, e->working = e->threads - 1, e->ticket++;
  pthread_cond_broadcast(&e->go);
  pthread_mutex_unlock(&e->lock);
  work(e);
  pthread_mutex_lock(&e->lock);
  while (e->working) pthread_cond_wait(&e->done, &e->lock);
  pthread_mutex_unlock(&e->lock);
}
