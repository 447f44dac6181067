import { afterAll, beforeAll, beforeEach, expect, vi } from 'vitest'
import {
  createImport,
  listImportRows,
  rehearseImport,
  startImport,
  updateImport,
  type Import,
  type ImportOptions,
} from '#contract/imports/imports.ts'
import { readOperation, undoOperation } from '#contract/operations.ts'
import { createUser, listUsers } from '#contract/directory/users.ts'
import { workOnOperations } from './operations.ts'
import { startTestServer, type Person, type TestServer } from './server.ts'

type ImportSetup = { server: TestServer; orgId: string; admin: Person }

/** One server that works on what is started, and before each test an organization with its admin, which `take` is handed. */
export function withImports(take: (setup: ImportSetup) => void): void {
  let server: TestServer
  let worker: { stop(): Promise<void> }
  beforeAll(async () => {
    server = await startTestServer()
    worker = await workOnOperations(server)
  })
  beforeEach(async () => {
    const orgId = await server.organization()
    take({ server, orgId, admin: await server.person('admin', orgId) })
  })
  afterAll(async () => {
    await worker.stop()
    await server.close()
  })
}

/** What tests of the import do over and over, as the admin of an organization; `now` says which, since each test has its own. */
export function importing(now: () => ImportSetup) {
  const params = () => ({ orgId: now().orgId })
  const at = (importId: string) => ({ orgId: now().orgId, importId })
  const call: Person['call'] = (endpoint, input) => now().admin.call(endpoint, input)

  async function upload(content: string): Promise<Import> {
    const body = { fileName: 'people.csv', content }
    const answer = await call(createImport, { params: params(), body })
    expect(answer.problem).toBeUndefined()
    return answer.body
  }

  /** Uploads and looks at every row; how the file is written is kept as it was recognised. */
  async function rehearsed(content: string, options: Partial<ImportOptions> = {}): Promise<Import> {
    const { id, mapping, options: found } = await upload(content)
    await call(updateImport, { params: at(id), body: { mapping, options: { ...found, ...options } } })
    return (await call(rehearseImport, { params: at(id) })).body
  }

  const until = (id: string, state: string) =>
    vi.waitFor(
      async () => {
        const { body } = await call(readOperation, { params: { operationId: id } })
        expect(body.state).toBe(state)
        return body
      },
      { timeout: 20_000, interval: 50 },
    )

  async function run(importId: string) {
    const started = await call(startImport, { params: at(importId) })
    expect(started.problem).toBeUndefined()
    return until(importId, 'done')
  }

  async function undo(id: string) {
    await call(undoOperation, { params: { operationId: id } })
    return until(id, 'undone')
  }

  const rowsOf = async (id: string) =>
    (await call(listImportRows, { params: at(id), query: { limit: 100 } })).body.items
  const people = async (q?: string) =>
    (await call(listUsers, { params: params(), query: { limit: 100, ...(q === undefined ? {} : { q }) } }))
      .body.items
  const create = async (name: string, more: object = {}) => {
    const body = { name, email: `${name.toLowerCase()}@example.test`, ...more }
    return (await call(createUser, { params: params(), body })).body
  }
  /** The text of a file. */
  const fileOf = async (url: string, person = now().admin): Promise<string> => {
    const { body } = await person.send('GET', `/api/organizations/${now().orgId}/${url}`)
    return typeof body === 'string' ? body : JSON.stringify(body)
  }
  return {
    params,
    at,
    upload,
    rehearsed,
    until,
    run,
    undo,
    rowsOf,
    people,
    create,
    exported: (person?: Person) => fileOf('users/export', person),
    mendOf: (id: string) => fileOf(`imports/${id}/rows.csv`),
    told: async (id: string) => (await rowsOf(id)).map(({ row, outcome, reason }) => [row, outcome, reason]),
    others: async () => (await people()).filter(({ id }) => id !== now().admin.id).map(({ name }) => name),
    named: async (name: string) => (await people()).find((one) => one.name === name),
    query: (text: string, values: unknown[] = []) => now().server.services.db.system.query(text, values),
  }
}
