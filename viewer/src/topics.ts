// Parts of the page subscribe to topics, and are told when something of one has changed.
export type Topic = 'build' | 'connection' | 'status' | 'scene' | 'graph' | 'selection' | 'object' | 'log' | 'stats' | 'settings' | 'toast' | 'view' | 'touch' | 'legends';

export class Topics {
  private listeners = new Map<Topic, Set<() => void>>();
  private pending = new Set<Topic>();

  on(topics: Topic[], listener: () => void): () => void {
    for (const topic of topics) {
      if (!this.listeners.has(topic)) this.listeners.set(topic, new Set());
      this.listeners.get(topic)!.add(listener);
    }
    return () => { for (const topic of topics) this.listeners.get(topic)?.delete(listener); };
  }

  // Listeners run once after the present task, however often a topic was touched.
  notify(topic: Topic) {
    if (this.pending.size === 0) {
      queueMicrotask(() => {
        const called = new Set<() => void>();
        for (const t of this.pending) for (const l of this.listeners.get(t) ?? []) called.add(l);
        this.pending.clear();
        for (const l of called) l();
      });
    }
    this.pending.add(topic);
  }
}
