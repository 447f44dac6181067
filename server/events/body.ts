type Happened = { type: string; at: string; data: unknown }

/** What is posted of an event, the same however often; `at` is an instant as ISO 8601 writes it. */
export function eventBody({ type, at, data }: Happened): string {
  return JSON.stringify({ type, timestamp: at, data })
}
