/** "1,200". Intl is too slow for pages with hundreds of numbers. */
export function grouped(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

export function counted(number: number, one: string, more = `${one}s`): string {
  return `${grouped(number)} ${number === 1 ? one : more}`;
}

const STEPS = [
  ["gigabyte", 1_073_741_824],
  ["megabyte", 1_048_576],
  ["kilobyte", 1024],
] as const;

export function byteWords(bytes: number): string {
  const step = STEPS.find(([, size]) => bytes >= size);
  if (!step) return counted(bytes, "byte");
  const [unit, size] = step;
  const maximumFractionDigits = bytes / size < 10 ? 1 : 0;
  return new Intl.NumberFormat("en-GB", { style: "unit", unit, maximumFractionDigits }).format(bytes / size);
}
