import type { Measure } from '#contract/reports/report-scope.ts'
import type { Logo } from './logo.ts'

/** What stands in a cell: text, an instant (ISO 8601), or a number in the unit of its column. */
export type Cell = string | number | null

/**
 * What a column holds. `share`: 0 to 1. `reached`: the same, of what is compared with a mark. `time` and `clock`:
 * milliseconds, told as a duration or as players show a length. `instant`: ISO 8601, UTC.
 */
export type ColumnKind = 'text' | 'count' | 'share' | 'reached' | 'time' | 'clock' | 'instant'

export type Column = {
  name: string
  as: ColumnKind
  /** What an empty cell means where that is not simply nothing: "Not shown". */
  none?: string | undefined
  /** The ground behind its words, by the word: a state is seen before it is read. */
  fills?: Readonly<Record<string, string>> | undefined
  /** Takes so many times the room of a short text. */
  wide?: number | undefined
}

export type Fact = { label: string; value: string }

/** A key figure with what it was before, and how it compares, in words. */
export type PaperFigure = {
  label: string
  as: 'count' | 'share' | 'time'
  figure: Measure
  change: { direction: 'up' | 'down' | 'same' | 'unknown'; text: string } | null
  hint?: string | undefined
}

export type PaperPlot = {
  title: string
  /** All of it in one line. */
  sum: string
  /** Milliseconds, told as time. */
  isTime: boolean
  /** What a step is, this period, the period before. */
  heads: [step: string, now: string, before: string]
  /** `day`: its first day, ISO. */
  steps: { day: string; label: string; value: number; before: number }[]
}

/** A table as something to hand on: what a workbook and printed pages are made of. Plain data, so that it can go to another thread. */
export type Paper = {
  title: string
  lead: string
  /** Whose figures these are. */
  owner: string
  logo: Logo | null
  /** Period, filters, when and by whom it was made. */
  facts: Fact[]
  figures: PaperFigure[]
  plot: PaperPlot | null
  /** What has to be known to read it right. */
  notes: string[]
  /** How good the evidence is: in one line, and what its words mean. */
  quality: { line: string; facts: Fact[] } | null
  meanings: Fact[]
  table: {
    /** What a row is, in the plural: "People". */
    name: string
    columns: Column[]
    rows: Cell[][]
    /** Said where there are more rows than these. */
    cut: string | null
  }
}
