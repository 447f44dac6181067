import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { api } from '#contract/api.ts'
import { createUser, readUser, updateUser } from '#contract/directory/users.ts'
import { npm } from '../release/npm.ts'
import { sha256 } from '../release/pack.ts'
import { addPeople, addVideo } from '#server/testing/audience.ts'
import { aServer } from '#server/testing/worlds.ts'
import { packClient } from './pack.ts'
import { newSecret, signedHeaders } from '#server/webhooks/signature.ts'
import { readEvent } from './events.ts'
import { sender, SendreelError } from './send.ts'

const root = path.resolve(import.meta.dirname, '..')
const run = promisify(execFile)
const server = await aServer()
const url = await server.app.listen({ port: 0, host: '127.0.0.1' })
let place: string
let file: string

beforeAll(async () => {
  place = mkdtempSync(path.join(os.tmpdir(), 'sendreel-client-test-'))
  file = await packClient({ root, into: place, version: '1.2.3', time: '1790000000' })
})
afterAll(() => rmSync(place, { recursive: true, force: true }))

/** The example of the README, in a folder that has nothing but the package and the compiler. */
function installed(): string {
  const folder = path.join(place, 'project')
  mkdirSync(folder)
  writeFileSync(path.join(folder, 'package.json'), '{"type":"module","private":true}')
  npm(folder, 'install', '--offline', '--no-audit', '--no-fund', file)
  const readme = readFileSync(path.join(folder, 'node_modules/sendreel-client/README.md'), 'utf8')
  const [, example = ''] = /```ts\n([^]*?)```/.exec(readme) ?? []
  writeFileSync(path.join(folder, 'example.ts'), example)
  const types = path.join(folder, 'node_modules/@types')
  mkdirSync(types)
  symlinkSync(path.join(root, 'node_modules/@types/node'), path.join(types, 'node'))
  symlinkSync(path.join(root, 'node_modules/undici-types'), path.join(folder, 'node_modules/undici-types'))
  return folder
}

/** Types as somebody else's strict project checks them; gives what the compiler finds. */
function faultsIn(folder: string, name: string): string {
  const compiler = path.join(root, 'node_modules/typescript/bin/tsc')
  const words =
    '--strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --noEmit --module nodenext --target es2024 --types node'
  try {
    execFileSync(process.execPath, [compiler, name, ...words.split(' ')], { cwd: folder, encoding: 'utf8' })
    return ''
  } catch (error) {
    return (error as { stdout: string }).stdout
  }
}

test('the package installs into an empty folder, and its example compiles and runs against a server', async () => {
  const orgId = await server.organization()
  const admin = await server.person('admin', orgId)
  await addPeople(server, orgId, { count: 120, prefix: 'late' })
  await addVideo(server, orgId, 'Fire drill')
  const folder = installed()
  expect(faultsIn(folder, 'example.ts')).toBe('')
  const env = { ...process.env, SENDREEL: url, KEY: admin.token }
  const { stdout } = await run(process.execPath, ['example.ts'], { cwd: folder, env })
  const [names = '', refusal = ''] = stdout.trim().split('\n')
  expect(names.split(', ').filter((name) => name.startsWith('Late '))).toHaveLength(120)
  expect(refusal).toBe("422 validation_failed { email: [ 'invalid_email' ] }")

  writeFileSync(
    path.join(folder, 'wrong.ts'),
    `import { sendreel } from 'sendreel-client'
const api = sendreel({ url: '', key: '' })
await api.createUser({ params: { orgId: '' }, body: { name: 'Ada' } })
await api.listUsers({ params: { orgId: '' }, query: { notWached: '' } })
await api.nothing()
`,
  )
  const faults = faultsIn(folder, 'wrong.ts').split('\n')
  for (const line of [3, 4, 5])
    expect(
      faults.some((fault) => fault.startsWith(`wrong.ts(${line},`)),
      String(line),
    ).toBe(true)
})

test('it has a method for each call, its licence, no dependency, and the same bytes whenever it is made', async () => {
  const again = mkdtempSync(path.join(place, 'again-'))
  const second = await packClient({ root, into: again, version: '1.2.3', time: '1790000000' })
  expect(await sha256(second)).toBe(await sha256(file))
  execFileSync('tar', ['-xzf', file, '-C', again])
  const textOf = (name: string) => readFileSync(path.join(again, 'package', name), 'utf8')
  expect(textOf('LICENSE')).toBe(readFileSync(path.join(root, 'LICENSE'), 'utf8'))
  expect(Object.keys(JSON.parse(textOf('package.json')) as object)).not.toContain('dependencies')
  const { sendreel } = (await import(path.join(again, 'package/index.js'))) as {
    sendreel: (options: object) => Record<string, unknown>
  }
  const methods = Object.keys(sendreel({ url, key: '' }))
  expect(methods.toSorted()).toEqual(api.map(({ name }) => name).toSorted())
})

test('what may be repeated is, what may not is not, and nothing is made twice', async () => {
  const orgId = await server.organization()
  const admin = await server.person('admin', orgId)
  const asked: string[] = []
  const faults: (() => Promise<Response>)[] = []
  const flaky: typeof fetch = async (to, options) => {
    asked.push(new Headers(options?.headers).get('idempotency-key') ?? '')
    const answer = await fetch(to, options)
    const fault = faults.shift()
    return fault ? fault() : answer
  }
  const send = sender({ url, key: admin.token, fetch: flaky })
  const busy = async () => new Response('', { status: 503, headers: { 'retry-after': '0' } })
  const lost = async (): Promise<Response> => {
    throw new TypeError('the answer was lost')
  }

  faults.push(lost, busy)
  const body = { name: 'Ada Lovelace', email: 'ada@example.test' }
  const made = await send({ ...createUser, isIdempotent: true }, { params: { orgId }, body })
  expect(asked).toHaveLength(3)
  expect(new Set(asked).size).toBe(1)
  const rows = await server.query('select id from users where email = $1', [body.email])
  expect(rows).toEqual([{ id: (made as { id: string }).id }])

  faults.push(lost)
  asked.length = 0
  const second = { ...body, email: 'grace@example.test' }
  await expect(send(createUser, { params: { orgId }, body: second })).rejects.toThrow('cannot be reached')
  expect(asked).toHaveLength(1)

  const params = { orgId, userId: (made as { id: string }).id }
  const read = (await send(readUser, { params })) as { name: string }
  const change = { ...body, name: 'Ada King' }
  await send(updateUser, { params, body: change, ifMatch: read })
  const stale = send(updateUser, { params, body, ifMatch: read })
  await expect(stale).rejects.toThrow(SendreelError)
  await expect(stale).rejects.toMatchObject({ status: 412, code: 'precondition_failed' })
})

test('an event is read when it is genuine, and by no other secret, at no other time and in no other words', async () => {
  const [secret, other] = [newSecret(), newSecret()]
  const body = JSON.stringify({ type: 'video.completed', data: { video: { title: 'Brücke' } } })
  const headers = signedHeaders([secret], { id: 'evt', body, at: new Date() })
  expect(await readEvent({ secret, headers, body })).toEqual(JSON.parse(body))
  expect(await readEvent({ secret: [other, secret], headers: new Headers(headers), body })).toBeTruthy()
  const old = signedHeaders([secret], { id: 'evt', body, at: new Date(Date.now() - 301_000) })
  const ahead = signedHeaders([secret], { id: 'evt', body, at: new Date(Date.now() + 301_000) })
  for (const wrong of [
    { secret: other, headers, body },
    { secret, headers, body: body.replace('Brücke', 'Brucke') },
    { secret, headers: { ...headers, 'webhook-id': 'another' }, body },
    { secret, headers: { ...headers, 'webhook-signature': 'v1,%%%' }, body },
    { secret, headers: old, body },
    { secret, headers: ahead, body },
    { secret, headers: {}, body },
  ])
    await expect(readEvent(wrong)).rejects.toThrow(SendreelError)
})
