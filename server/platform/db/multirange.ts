/** These are sorted, disjoint [start, end) pairs of media milliseconds. */
export type Ranges = [number, number][]

/** Reads the text of an `int4multirange`, in milliseconds. PostgreSQL merges and measures coverage itself, so nothing else is done here. */
export function parseRanges(text: string): Ranges {
  return [...text.matchAll(/\[(\d+),(\d+)\)/g)].map((match) => [Number(match[1]), Number(match[2])])
}
