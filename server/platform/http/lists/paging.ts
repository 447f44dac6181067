import { refuse } from '../../errors.ts'

/** Keyset positions travel as base64url JSON: opaque to clients, and checked here because clients may send anything. */
export function encodeCursor(values: (string | number | null)[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url')
}

export function decodeCursor(after: string, length: number): (string | number | null)[] {
  try {
    const values: unknown = JSON.parse(Buffer.from(after, 'base64url').toString())
    const plain = (value: unknown): value is string | number | null =>
      value === null || typeof value === 'string' || typeof value === 'number'
    if (Array.isArray(values) && values.length === length && values.every(plain)) return values
  } catch {
    // Falls through to the refusal below, which is the answer to every malformed position.
  }
  throw refuse('invalid_request', { reason: { code: 'position_invalid' } })
}

/** The relative API path of another page: the present path and filters, from another place on. */
export function pathAt(url: string, place: Partial<Record<'offset' | 'after' | 'before', string>>): string {
  const [path = '', search = ''] = url.split('?')
  const query = new URLSearchParams(search)
  for (const name of ['offset', 'after', 'before']) query.delete(name)
  for (const [name, value] of Object.entries(place)) query.set(name, value)
  return `${path}?${query.toString()}`
}
