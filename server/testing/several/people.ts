import { setTimeout as pause } from 'node:timers/promises'
import { createUser } from '#contract/directory/users.ts'
import { createImport, rehearseImport, startImport } from '#contract/imports/imports.ts'
import { readOperation } from '#contract/operations.ts'
import { until } from '../until.ts'
import type { Scene, Work } from './work.ts'

const rowsOfFile = 40

/** People are created one by one, and each answer that says so is kept. */
export async function creating(scene: Scene): Promise<Work> {
  const { faults, cluster } = scene
  const { orgId, admin } = await scene.newOrganization()
  const created = new Map<string, string>()
  return {
    async run() {
      for (let n = 0; !scene.isOver; n += 1) {
        const email = `created-${n}@example.test`
        const { status, body, problem } = await admin.call(createUser, {
          params: { orgId },
          body: { name: `Created ${n}`, email },
        })
        if (status === 201) created.set(email, body.id)
        else faults.push(`${email} was refused: ${JSON.stringify(problem)}`)
        await pause(300)
      }
    },
    async judge() {
      const there = await cluster.server.query<{ id: string; email: string }>(
        `select id, email from users where organization_id = $1 and email like 'created-%'`,
        [orgId],
      )
      for (const { id, email } of there)
        if (created.get(email) !== id) faults.push(`${email} is there as ${id}, and nobody was told so`)
      if (there.length !== created.size)
        faults.push(`${created.size} were created, and ${there.length} are there`)
      return { 'people created': created.size }
    },
  }
}

/** Files of people are imported, one after another. */
export async function importing(scene: Scene): Promise<Work> {
  const { faults, cluster } = scene
  const { orgId, admin } = await scene.newOrganization()
  let files = 0

  async function importOne(n: number): Promise<void> {
    const line = (_: unknown, row: number) => `Person ${n} ${row},imported-${n}-${row}@example.test`
    const content = ['Name,Email', ...Array.from({ length: rowsOfFile }, line)].join('\n')
    const made = await admin.call(createImport, {
      params: { orgId },
      body: { fileName: 'people.csv', content },
    })
    const params = { orgId, importId: made.body.id }
    if (made.status !== 201) return void faults.push(`a file was refused: ${JSON.stringify(made.problem)}`)
    await admin.call(rehearseImport, { params })
    // Asked again after an answer that was lost, it says that it has begun.
    await admin.call(startImport, { params })
    const read = async () =>
      (await admin.call(readOperation, { params: { operationId: params.importId } })).body.state
    await until(async () => (await read()) === 'done', 300).catch(() => undefined)
    const state = await read()
    if (state !== 'done') faults.push(`import ${n} is ${state}`)
    files += 1
  }

  return {
    async run() {
      for (let n = 0; !scene.isOver; n += 1) {
        await importOne(n)
        await pause(5_000)
      }
    },
    async judge() {
      const there = await cluster.server.query<{ email: string }>(
        `select email from users where organization_id = $1 and email like 'imported-%'`,
        [orgId],
      )
      const different = new Set(there.map(({ email }) => email)).size
      if (there.length !== files * rowsOfFile || different !== there.length)
        faults.push(
          `${files} files of ${rowsOfFile} made ${there.length} people, ${different} of them different`,
        )
      return { 'files of people imported': files }
    },
  }
}
