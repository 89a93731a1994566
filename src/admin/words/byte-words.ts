const STEPS = [
  ["gigabyte", 1_073_741_824],
  ["megabyte", 1_048_576],
  ["kilobyte", 1024],
] as const;

/** A size such as "1.4 MB". */
export function byteWords(bytes: number): string {
  const [unit, size] = STEPS.find(([, size]) => bytes >= size) ?? ["byte", 1];
  const maximumFractionDigits = bytes / size < 10 && unit !== "byte" ? 1 : 0;
  return new Intl.NumberFormat("en-GB", { style: "unit", unit, maximumFractionDigits }).format(bytes / size);
}
