/** Milliseconds between two readings, while the page is looked at: a hidden tab asks for nothing. */
export const rhythm = {
  /** Something is on its way. */
  work: 10_000,
  /** Nothing is, but something may begin. */
  calm: 30_000,
  /** Sums and trends, which no single viewing changes by much. */
  figures: 60_000,
} as const
