/** What is kept in memory, of so many bytes together at most: what is unused longest goes first. */
export class LruCache<Key, Kept extends { size: number }> {
  private readonly kept = new Map<Key, Kept>();
  private size = 0;

  constructor(
    private readonly mostBytes: number,
    private readonly onDropped: (kept: Kept) => void = () => {},
  ) {}

  get(key: Key): Kept | undefined {
    const kept = this.kept.get(key);
    if (kept === undefined) return undefined;
    this.kept.delete(key);
    this.kept.set(key, kept);
    return kept;
  }

  /** @param kept its `size`, in bytes, is changed by nobody else from now on */
  set(key: Key, kept: Kept): void {
    this.delete(key);
    this.kept.set(key, kept);
    this.size += kept.size;
    this.dropOldest();
  }

  /** It has become so many bytes larger. Of no effect where it is kept no more. */
  grow(key: Key, kept: Kept, bytes: number): void {
    if (this.kept.get(key) !== kept) return;
    kept.size += bytes;
    this.size += bytes;
    this.dropOldest();
  }

  /** The newest too, where that alone is too much. */
  private dropOldest(): void {
    for (const oldest of this.kept.keys()) {
      if (this.size <= this.mostBytes) return;
      this.delete(oldest);
    }
  }

  delete(key: Key): void {
    const kept = this.kept.get(key);
    if (kept === undefined) return;
    this.kept.delete(key);
    this.size -= kept.size;
    this.onDropped(kept);
  }

  clear(): void {
    const dropped = [...this.kept.values()];
    this.kept.clear();
    this.size = 0;
    dropped.forEach(this.onDropped);
  }
}
