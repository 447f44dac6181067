export type Range = { start: number; end: number }

/**
 * The one byte range that a request asks for, both ends included. Undefined (send everything) without one, with several, and for
 * units or spellings that are not understood, as RFC 9110 allows.
 */
export function rangeOf(header: string | undefined, size: number): Range | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? []
  if (first === '' && last === '') return undefined
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < start) return undefined
  return start >= size ? 'unsatisfiable' : { start, end }
}
