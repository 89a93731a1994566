/** What is kept in memory, of so many bytes together at most: what is unused longest goes first. */
export class BoundedMemory<Key, Kept extends { size: number }> {
  private readonly kept = new Map<Key, Kept>();
  private size = 0;

  constructor(private readonly mostBytes: number) {}

  get(key: Key): Kept | undefined {
    const kept = this.kept.get(key);
    if (kept === undefined) return undefined;
    this.kept.delete(key);
    this.kept.set(key, kept);
    return kept;
  }

  /** @param kept its `size`, in bytes, is that of this moment */
  set(key: Key, kept: Kept): void {
    this.delete(key);
    this.kept.set(key, kept);
    this.size += kept.size;
    for (const oldest of this.kept.keys()) {
      if (this.size <= this.mostBytes) return;
      this.delete(oldest);
    }
  }

  delete(key: Key): void {
    this.size -= this.kept.get(key)?.size ?? 0;
    this.kept.delete(key);
  }

  clear(): void {
    this.kept.clear();
    this.size = 0;
  }
}
