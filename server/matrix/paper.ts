import type { FastifyBaseLogger } from 'fastify'
import * as z from 'zod/mini'
import { mostCells, mostRows } from '#contract/platform/file-formats.ts'
import { formatDayOfYear, plural } from '#contract/platform/text/format.ts'
import { trainingLead, trainingMeanings, trainingLabels } from '#contract/matrix/training-labels.ts'
import { row, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import type { Caller } from '../platform/http/bearer.ts'
import { collect, cutText } from '../documents/collect.ts'
import { logoFor, storedLogo } from '../documents/logo.ts'
import type { Fact, Paper, PaperFigure } from '../documents/paper.ts'
import { instantText } from '../documents/labels.ts'
import { trainingTable, type Order } from './export.ts'
import { trainingTotals } from './totals.ts'

type PaperRequest = Order & {
  log: FastifyBaseLogger
  format: 'xlsx' | 'pdf'
  by: Pick<Caller, 'name' | 'viewer'>
}

/** A paper has at most this number of videos, because nobody lays more of them side by side. */
const mostPrintedColumns = 65

/** Makes a file of the matrix, or of its cells, to hand on. */
export async function trainingPaper(asked: PaperRequest): Promise<Paper> {
  const { db, scope, matrixScope, query, format } = asked
  const { organizationId } = matrixScope.visibility
  const [totals, filters, picture] = await db.asReport(scope, async (tx) => [
    await trainingTotals(tx, matrixScope),
    await filterFacts(tx, asked),
    format === 'pdf' ? await storedLogo(tx, organizationId) : null,
  ])
  const { columns, read } = await trainingTable(asked)
  const wanted = format === 'pdf' ? columns.slice(0, mostPrintedColumns) : columns
  const limit = Math.min(mostRows[format], Math.floor(mostCells[format] / wanted.length))
  const { rows, isCut } = await collect(read, limit)
  const isNarrowed = format === 'pdf' && query.form === 'cells'
  const places = wanted.flatMap((column, at) =>
    isNarrowed && (column.name === 'Email' || rows.every((cells) => cells[at] === null)) ? [] : [at],
  )
  return {
    title: query.form === 'matrix' ? 'Training matrix' : 'Training, each person and video',
    lead: trainingLead,
    owner: totals.organization.name,
    logo: await logoFor(picture, asked.log),
    facts: filters,
    figures: [
      figure('People', totals.people),
      figure('Required', totals.required, 'Sent and not waived'),
      figure('Completed', totals.done, 'Passed included'),
      figure('Late', totals.overdue),
    ],
    plot: null,
    notes: [
      'The figures are about everybody whom the filters find, whatever state they were asked for.',
      ...(totals.isDiscreet
        ? ['This organization records only completions: nothing is told of who opened, started or passed.']
        : []),
      ...(isNarrowed ? ['Columns without an entry are left out, and so are the addresses.'] : []),
    ],
    quality: null,
    meanings: trainingMeanings,
    table: {
      name: query.form === 'matrix' ? 'People and videos' : 'Each person and video',
      columns: places.flatMap((at) => wanted[at] ?? []),
      rows: rows.map((cells) => places.map((at) => cells[at] ?? null)),
      cut: cutOf({ isCut, rows: rows.length, missing: columns.length - wanted.length }),
    },
  }
}

function cutOf({ isCut, rows, missing }: { isCut: boolean; rows: number; missing: number }): string | null {
  const aside = missing > 0 ? `${plural(missing, 'more video')} by title are in the CSV file alone.` : ''
  return isCut || missing > 0 ? [isCut ? cutText(rows) : '', aside].filter(Boolean).join(' ') : null
}

function figure(label: string, value: number, hint?: string): PaperFigure {
  return { label, as: 'count', figure: { value, before: null }, change: null, hint }
}

const orders = {
  name: 'Name, A to Z',
  '-name': 'Name, Z to A',
  done: 'Share completed, least first',
  '-done': 'Share completed, most first',
  overdue: 'Late, least first',
  '-overdue': 'Late, most first',
} as const

const Names = z.object({
  group: z.nullable(z.string()),
  project: z.nullable(z.string()),
  video: z.nullable(z.string()),
})

async function filterFacts(tx: Tx, { matrixScope, query, by }: PaperRequest): Promise<Fact[]> {
  const { groupIds, organizationId } = matrixScope.visibility
  const names = await row(
    tx,
    Names,
    sql`select (select name from groups where id = ${query.groupId ?? null}::uuid and organization_id = ${organizationId}) as "group",
      (select name from projects where id = ${query.projectId ?? null}::uuid and organization_id = ${organizationId}) as project,
      (select title from videos where id = ${query.notDone ?? null}::uuid and organization_id = ${organizationId}) as video`,
  )
  const chosen = [
    groupIds && {
      label: 'People in sight',
      value: `Members of the ${plural(groupIds.length, 'group')} of ${by.name}`,
    },
    query.q && { label: 'Search', value: `“${query.q}”` },
    names?.group && { label: 'Group', value: names.group },
    names?.project && { label: 'Project', value: names.project },
    names?.video && { label: 'Not completed', value: names.video },
    query.toldOn && { label: 'Named in a mail', value: `On ${query.toldOn}, to ${by.name}` },
    query.state && { label: 'State', value: `People with a video in: ${trainingLabels[query.state].word}` },
  ]
  const maker = by.viewer ? `${by.viewer.name}, viewing as ${by.name}` : by.name
  return [
    {
      label: 'As of',
      value:
        query.on === undefined
          ? `${instantText(new Date().toISOString())} UTC`
          : `The end of ${formatDayOfYear(query.on)}, as it was known then`,
    },
    { label: 'Made by', value: maker },
    ...chosen.filter((one) => typeof one === 'object' && one !== null),
    {
      label: 'Videos',
      value: query.videos === 'assigned' ? 'Those that were sent' : 'Those that were sent, watched or waived',
    },
    { label: 'Order', value: orders[query.sort] },
  ]
}
