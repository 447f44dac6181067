import * as z from 'zod/mini'
import { deliveryStateLabels } from '#contract/delivery-labels.ts'
import { exportDeliveries } from '#contract/deliveries.ts'
import type { ParsedBody } from '#contract/endpoint.ts'
import { mostRows } from '#contract/file-formats.ts'
import { requireRow, type Database, type Scope, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { audit } from '../platform/http/audit.ts'
import type { Caller } from '../platform/http/bearer.ts'
import { csvPieces } from '../platform/http/csv.ts'
import type { Mount } from '../platform/http/mount.ts'
import { encodeCursor } from '../platform/http/paging.ts'
import type { Services } from '../platform/http/services.ts'
import { collect, cutText, type Stretch } from '../documents/collect.ts'
import { fileTypes, paperFile } from '../documents/files.ts'
import { logoFor, storedLogo } from '../documents/logo.ts'
import type { Cell, Column, Paper } from '../documents/paper.ts'
import { instantText } from '../documents/labels.ts'
import { findDeliveries, type DeliveryRow } from './deliveries.ts'
import type { Key } from './states.ts'

const stretch = 1_000

const columns: Column[] = [
  { name: 'Name', as: 'text', wide: 2 },
  { name: 'Email', as: 'text', wide: 2 },
  { name: 'Mail', as: 'text' },
  { name: 'Sent', as: 'instant' },
  { name: 'Opened', as: 'instant' },
  { name: 'Started', as: 'instant' },
  { name: 'Watched', as: 'time' },
  { name: 'Share', as: 'share' },
  { name: 'Completed', as: 'instant' },
  { name: 'Failed', as: 'instant' },
  { name: 'Last watched', as: 'instant' },
]

const cellsOf = (one: DeliveryRow): Cell[] => [
  one.user.name,
  one.user.email,
  one.resting ? 'In the outbox' : deliveryStateLabels[one.state].word,
  one.sentAt,
  one.openedAt,
  one.firstPlayAt,
  one.watchedMs,
  one.share,
  one.completedAt,
  one.failed?.at ?? null,
  one.lastWatchedAt,
]

type FileRequest = { db: Database; scope: Scope; key: Key; body: ParsedBody<typeof exportDeliveries> }

/** A stretch is a transaction of its own: a slow reader holds no connection. */
function reader({ db, scope, key, body }: FileRequest) {
  return async (after: string | undefined): Promise<Stretch> => {
    const found = await db.as(scope, (tx) => findDeliveries(tx, key, { ...body, after, limit: stretch }))
    const last = found.length === stretch ? found.at(-1) : undefined
    return { rows: found.map(cellsOf), after: last && encodeCursor([last.key, last.id]) }
  }
}

const asText = (asked: FileRequest) =>
  csvPieces(
    columns.map(({ name }) => name),
    reader(asked),
  )

const About = z.object({ subject: z.string(), owner: z.string(), slug: z.string() })
type About = z.infer<typeof About>

function readAbout(tx: Tx, key: Key): Promise<About> {
  return requireRow(
    tx,
    About,
    sql`select t.subject, o.name as owner, o.slug from transmissions t join organizations o on o.id = t.organization_id
      where t.id = ${key.id} and t.organization_id = ${key.organizationId}`,
  )
}

type Page = FileRequest & { about: About; format: 'xlsx' | 'pdf'; by: Pick<Caller, 'name' | 'viewer'> }

async function asPaper({ about, format, by, ...asked }: Page): Promise<Paper> {
  const { rows, isCut } = await collect(reader(asked), mostRows[format])
  const picture =
    format === 'pdf' ? await asked.db.as(asked.scope, (tx) => storedLogo(tx, asked.key.organizationId)) : null
  return {
    title: about.subject,
    lead: 'Who got this transmission, and what they watched of its video.',
    owner: about.owner,
    logo: await logoFor(picture),
    facts: [
      { label: 'As of', value: `${instantText(new Date().toISOString())} UTC` },
      { label: 'Made by', value: by.viewer ? `${by.viewer.name}, viewing as ${by.name}` : by.name },
    ],
    figures: [],
    plot: null,
    notes: [],
    quality: null,
    meanings: Object.values(deliveryStateLabels).map(({ word, means }) => ({ label: word, value: means })),
    table: { name: 'Recipients', columns, rows, cut: isCut ? cutText(rows.length) : null },
  }
}

export function deliveryFileRoutes(
  mount: Mount,
  { db }: Services,
  keyOf: (tx: Tx, caller: Caller, id: string) => Promise<Key>,
): void {
  mount(exportDeliveries, async ({ caller, scope, params, body, request }) => {
    const { format } = body
    const { key, about } = await db.as(scope, async (tx) => {
      const owned = await keyOf(tx, caller, params.transmissionId)
      const entry = { organizationId: owned.organizationId, entity: 'transmission', entityId: owned.id }
      await audit(tx, { caller, request }, { ...entry, action: 'deliveries.exported', after: body })
      return { key: owned, about: await readAbout(tx, owned) }
    })
    const asked = { db, scope, key, body }
    const content =
      format === 'csv'
        ? asText(asked)
        : paperFile(format, () => asPaper({ ...asked, about, format, by: caller }))
    const day = new Date().toISOString().slice(0, 10)
    return {
      name: `${about.slug.replaceAll(/[^\w-]/g, '')}-recipients-${day}.${format}`,
      type: fileTypes[format],
      content,
    }
  })
}
