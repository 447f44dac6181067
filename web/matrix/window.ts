/** A span says which of many things of equal size are to be drawn. */
export type Span = { from: number; until: number }

type Axis = { start: number; length: number; size: number; count: number }

/** This number of things is drawn beyond each edge, so that a short push shows no gap. */
const beyond = 3

export function spanOf({ start, length, size, count }: Axis): Span {
  const from = Math.max(0, Math.floor(start / size) - beyond)
  return { from: Math.min(from, count), until: Math.min(count, Math.ceil((start + length) / size) + beyond) }
}

/** Returns the numbers of a span, and the number that has the focus, wherever that is, because taking it away would lose the focus. */
export function drawn({ from, until }: Span, focused: number, count: number): number[] {
  const numbers = Array.from({ length: Math.max(0, until - from) }, (_none, n) => from + n)
  const isOutside = focused >= 0 && focused < count && (focused < from || focused >= until)
  return isOutside ? [...numbers, focused].toSorted((a, b) => a - b) : numbers
}

/** Returns how far to scroll so that a thing is in sight, and no further than needed. */
export function scrolledTo({ start, length, size }: Omit<Axis, 'count'>, at: number): number {
  if (at * size < start) return at * size
  const end = (at + 1) * size
  return end > start + length ? end - length : start
}

export type GridPosition = { row: number; column: number }
type Bounds = { rows: number; columns: number; page: number }

/** `isFar` is true when Ctrl is pressed as well. */
type Press = { key: string; isFar: boolean }

/** Returns where a key leads. Row -1 is the head, and column -1 the name. It is undefined for keys that move nothing. */
export function moved(
  { row, column }: GridPosition,
  { key, isFar }: Press,
  { rows, columns, page }: Bounds,
): GridPosition | undefined {
  const steps: Record<string, GridPosition> = {
    ArrowUp: { row: row - 1, column },
    ArrowDown: { row: row + 1, column },
    ArrowLeft: { row, column: column - 1 },
    ArrowRight: { row, column: column + 1 },
    PageUp: { row: row - page, column },
    PageDown: { row: row + page, column },
    Home: { row: isFar ? -1 : row, column: -1 },
    End: { row: isFar ? rows - 1 : row, column: columns - 1 },
  }
  const step = steps[key]
  if (!step) return undefined
  return {
    row: Math.min(Math.max(step.row, -1), rows - 1),
    column: Math.min(Math.max(step.column, -1), columns - 1),
  }
}
