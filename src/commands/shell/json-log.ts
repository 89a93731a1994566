export function logJson(message: string): void {
  console.error(JSON.stringify({ time: new Date().toISOString(), message }));
}
