export function median(numbers: readonly number[]): number {
  return quantile(numbers, 0.5);
}

/** @param share 0.99 for the 99th percentile */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
