/** A cache of limited size that evicts the least recently used entries first. */
export class LruCache<Key, Entry extends { size: number }> {
  private readonly entries = new Map<Key, Entry>();
  private size = 0;

  constructor(
    private readonly maxBytes: number,
    private readonly onEvicted: (entry: Entry) => void = () => {},
  ) {}

  get(key: Key): Entry | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    this.entries.delete(key);
    this.entries.set(key, entry);
    return entry;
  }

  /** @param entry its `size` in bytes must only change by `grow` */
  set(key: Key, entry: Entry): void {
    this.delete(key);
    this.entries.set(key, entry);
    this.size += entry.size;
    this.evict();
  }

  /** Does nothing if the entry was evicted. */
  grow(key: Key, entry: Entry, bytes: number): void {
    if (this.entries.get(key) !== entry) return;
    entry.size += bytes;
    this.size += bytes;
    this.evict();
  }

  clear(): void {
    const evicted = [...this.entries.values()];
    this.entries.clear();
    this.size = 0;
    evicted.forEach(this.onEvicted);
  }

  private evict(): void {
    for (const oldest of this.entries.keys()) {
      if (this.size <= this.maxBytes) return;
      this.delete(oldest);
    }
  }

  private delete(key: Key): void {
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    this.entries.delete(key);
    this.size -= entry.size;
    this.onEvicted(entry);
  }
}
