import { mostRows } from '#contract/platform/file-formats.ts'
import type { Caller } from '../platform/http/bearer.ts'
import { collect, cutText } from './collect.ts'
import { instantText } from './labels.ts'
import { logoFor } from './logo.ts'
import type { Column, Fact, Paper } from './paper.ts'

type Listed = Pick<Paper, 'title' | 'lead' | 'owner'> & {
  format: keyof typeof mostRows
  picture: Parameters<typeof logoFor>[0]
  log: Parameters<typeof logoFor>[1]
  /** What the file leaves out, so that nobody takes a part for the whole. */
  filters: readonly Fact[]
  by: Pick<Caller, 'name' | 'viewer'>
  /** The words of its states. */
  labels: Readonly<Record<string, { word: string; means: string }>>
  /** Of the table. */
  name: string
  columns: readonly (Column & { cell: unknown })[]
  rows: Parameters<typeof collect>[0]
}

/** A list as a paper: its table, when and by whom it was made, and what its words mean. */
export async function listPaper({
  format,
  picture,
  log,
  filters,
  by,
  labels,
  name,
  ...about
}: Listed): Promise<Paper> {
  const { title, lead, owner, columns } = about
  const { rows, isCut } = await collect(about.rows, mostRows[format])
  return {
    title,
    lead,
    owner,
    logo: await logoFor(picture, log),
    facts: [
      ...filters,
      { label: 'As of', value: `${instantText(new Date().toISOString())} UTC` },
      { label: 'Made by', value: by.viewer ? `${by.viewer.name}, viewing as ${by.name}` : by.name },
    ],
    figures: [],
    plot: null,
    notes: [],
    quality: null,
    meanings: Object.values(labels).map(({ word, means }) => ({ label: word, value: means })),
    table: {
      name,
      // It is drawn by another thread, to which no function goes.
      columns: columns.map(({ cell: _here, ...column }) => column),
      rows,
      cut: isCut ? cutText(rows.length) : null,
    },
  }
}
