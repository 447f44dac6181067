import type { FastifyInstance } from 'fastify'
import { reasonText } from '#contract/imports/import-reasons.ts'
import {
  createImport,
  exportImportRows,
  listImportRows,
  readImport,
  rehearseImport,
  restoreForImport,
  startImport,
  updateImport,
} from '#contract/imports/imports.ts'
import type { RowOutcome } from '#contract/operations.ts'
import { restoreUsers } from '../directory/users/restore.ts'
import type { Database, Scope } from '../platform/db/client.ts'
import { csvLine, utf8Mark } from '#contract/platform/csv.ts'
import type { Mount } from '../platform/http/mount.ts'
import type { Services } from '../platform/http/services.ts'
import { readStored, type StoredImport } from './stored.ts'
import { cellsOf } from './kind.ts'
import { describe, findLines, findRows, remap, removedIn } from './queries.ts'
import { rehearse, requireDraft, start } from './rehearse.ts'
import { keepFile } from './upload.ts'

type Params = { orgId: string; importId: string }
const keyOf = ({ orgId, importId }: Params) => ({ organizationId: orgId, id: importId })

export function importsRoutes(_app: FastifyInstance, mount: Mount, services: Services): void {
  mount(createImport, async ({ tx, caller, params: { orgId }, body }) => {
    const id = await keepFile(tx, { caller, organizationId: orgId, file: body })
    return describe(tx, await readStored(tx, { organizationId: orgId, id }))
  })

  mount(readImport, async ({ tx, params }) => describe(tx, await readStored(tx, keyOf(params))))

  mount(updateImport, async ({ tx, params, body }) => {
    const stored = await readStored(tx, keyOf(params), true)
    await requireDraft(tx, stored.id)
    return describe(tx, await remap(tx, stored, body))
  })

  mount(rehearseImport, async ({ tx, caller, params }) => {
    const stored = await readStored(tx, keyOf(params), true)
    await rehearse({ tx, caller, stored })
    return describe(tx, stored)
  })

  mount(restoreForImport, async ({ tx, caller, request, params }) => {
    const stored = await readStored(tx, keyOf(params), true)
    await requireDraft(tx, stored.id)
    const { organizationId } = stored
    const ids = await removedIn(tx, stored.id)
    await restoreUsers({ services, tx, caller, request }, { organizationId, asker: caller, ids })
    return describe(tx, await remap(tx, stored, stored))
  })

  mount(startImport, async ({ tx, caller, request, params }) => {
    const stored = await readStored(tx, keyOf(params), true)
    await start({ services, tx, caller, stored, request })
    return describe(tx, stored)
  })

  mount(listImportRows, async ({ tx, params, query, request }) =>
    findRows(tx, { stored: await readStored(tx, keyOf(params)), query, request }),
  )

  mount(exportImportRows, async ({ tx, params, query, scope }) => {
    const stored = await readStored(tx, keyOf(params))
    return {
      name: 'rows-to-mend.csv',
      type: 'text/csv; charset=utf-8',
      content: lines({ db: services.db, scope, stored, outcome: query.outcome }),
    }
  })
}

type Order = { db: Database; scope: Scope; stored: StoredImport; outcome: RowOutcome | undefined }
const stretch = 1_000

/** The file once more, with a column that the next import leaves out. Every stretch is a transaction of its own. */
async function* lines({ db, scope, stored, outcome }: Order): AsyncGenerator<string> {
  const { id, header, delimiter } = stored
  yield utf8Mark + csvLine([...header, 'Problem'], delimiter)
  let after = 0
  for (;;) {
    const found = await db.as(scope, (tx) => findLines(tx, { id, outcome, after, limit: stretch }))
    yield found
      .map(({ cells, reason }) => {
        const given = cellsOf(cells)
        const filled = header.map((_title, index) => given[index] ?? '')
        const words = reason === null ? '' : reasonText(reason)
        return csvLine([...filled, ...given.slice(header.length), words], delimiter)
      })
      .join('')
    const last = found.at(-1)
    if (!last || found.length < stretch) return
    after = last.position
  }
}
