import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTransmission } from '#contract/transmissions/transmissions.ts'
import { addPeople, addVideo } from '../testing/audience.ts'
import { newPlace } from '../testing/backup/backups.ts'
import { secret } from '../testing/server.ts'
import { factorTests, password } from '../testing/sign-in/factors.ts'
import { launch, openFolder, start, type Program } from '../testing/processes/process.ts'
import { sendToOne } from '../testing/sending.ts'
import { openTestServer, type Person, type TestServer } from '../testing/server.ts'
import { until } from '../testing/until.ts'
import { anOrganization } from '../testing/worlds.ts'
import { startSending } from '../transmissions/sender/send.ts'
import { sealedColumns } from './settle.ts'

const command = path.resolve(import.meta.dirname, 'command.ts')

let folder: string
let url: string
let place: Awaited<ReturnType<typeof newPlace>>
let superadmin: Person
let link: string
let waiting: string
beforeAll(async () => {
  folder = await openFolder()
  place = await newPlace(folder)
  url = place.environment.DATABASE_URL
  await mkdir(data(), { recursive: true })
  writeFileSync(data('secret-key'), `${secret}\n`)
  await stop(await start(environment()))
  await fill()
})
afterAll(async () => {
  await place.drop()
  await rm(folder, { recursive: true, force: true })
})

const data = (...rest: string[]) => path.join(folder, 'data', ...rest)
const environment = (run = 'api') => ({ DATABASE_URL: url, DATA_DIR: data(), RUN: run })

async function ask<Row extends object>(statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(statement)).rows
  } finally {
    await client.end()
  }
}

async function stop({ child, ended }: Program): Promise<void> {
  child.kill('SIGTERM')
  expect(await ended).toBe('0')
}

function lose(typed: string) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, '--lost'], {
    env: { ...process.env, ...environment() },
    encoding: 'utf8',
    input: typed,
  })
  return { status, said: stdout + stderr }
}

/** One of each thing that the secret has signed or sealed. */
async function fill(): Promise<void> {
  const server: TestServer = await openTestServer({ ownerUrl: url, dataDir: data() })
  const factors = factorTests(() => server)
  superadmin = await factors.somebody('superadmin')
  await factors.addApp(superadmin)
  const { orgId: org, admin } = await anOrganization(server)
  const sending = await startSending(server.services)
  const videoId = await addVideo(server, org)
  link = (
    await sendToOne({ server, org, admin, videoId, stop: () => sending.stop(), close: () => server.close() })
  ).link
  await ask(`update send_lanes set state = 'closed'`)
  const [userId = ''] = await addPeople(server, org, { count: 1, prefix: 'waits' })
  const body = { body: 'Later', videoId, userId, accountId: org }
  waiting = (await admin.call(createTransmission, { body })).body.id
  const queued = `select 1 from deliveries where transmission_id = '${waiting}' and state = 'queued'`
  await until(async () => (await ask(queued)).length === 1, 60)
  await sending.stop()
  const sealed = (purpose: string, owner: string) =>
    `'\\x${server.services.keys.seal(purpose, 'a secret', owner).toString('hex')}'`
  await ask(`insert into mail_server (host, port, encryption, login, password_sealed, sender_name, sender_address)
      values ('mail.example.test', 587, 'starttls', 'us', ${sealed('mail-password', 'mail_server')}, '', 'us@example.test');
    insert into mail_signing (domain, selector, public_key, key_sealed, is_on)
      values ('example.test', 'one', 'x', ${sealed('mail-signing', 'mail_signing')}, true);
    insert into mail_returns (address, host, port, encryption, login, password_sealed, folder)
      values ('back@example.test', 'mail.example.test', 993, 'tls', 'back', ${sealed('mail-returns', 'mail_returns')}, 'INBOX');
    insert into webhooks (organization_id, url, secret_sealed)
      values ('${org}', 'https://hook.example.test/', ${sealed('webhook', org)});
    update mail_event_sources set received_at = now() where source = 'ses'`)
  await server.close()
}

test('every column in which something sealed is kept is known', async () => {
  const found = await ask<{ name: string }>(
    `select c.relname || '.' || a.attname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.atttypid = 'bytea'::regtype and a.attname like '%sealed' order by 1`,
  )
  expect(found.map(({ name }) => name)).toEqual(
    sealedColumns.map(({ table, column }) => `${table}.${column}`).toSorted(),
  )
})

test('nothing is lost while the secret is there, and while a process has it in hand', async () => {
  expect(lose('lost\n')).toEqual({ status: 1, said: expect.stringContaining('Nothing is lost') })
  const program = await start(environment())
  await rm(data('secret-key'))
  expect(lose('lost\n')).toEqual({ status: 1, said: expect.stringContaining('still uses the database') })
  await stop(program)
  writeFileSync(data('secret-key.previous'), `${secret}\n`)
  expect(lose('lost\n').said).toContain('secret-key.previous has the secret. Copy it to')
  await rm(data('secret-key.previous'))
})

test('it names what ends, and changes nothing before the word is typed', async () => {
  for (const typed of ['', 'yes\n']) {
    const { status, said } = lose(typed)
    expect(status).toBe(1)
    expect(said).toContain('Nothing was changed.')
    for (const sentence of [
      '1 person lose',
      'password of the mail server',
      'signs mails (DKIM)',
      'mailbox for returns',
      '1 mail provider',
      '1 organization',
      'Backups that were made before',
    ])
      expect(said).toContain(sentence)
  }
  expect(existsSync(data('secret-key'))).toBe(false)
  expect(await ask('select 1 from totp_factors')).toHaveLength(1)
})

test('then it takes another, ends just that, and is written down', async () => {
  const { status, said } = lose('lost\n')
  expect({ status, said }).toEqual({ status: 0, said: expect.stringContaining('Start the program.') })
  expect(readFileSync(data('secret-key'), 'utf8')).toMatch(/^[\w-]{64}\n$/)
  expect(
    await ask(
      'select 1 from totp_factors union all select 1 from recovery_codes union all select 1 from mail_signing',
    ),
  ).toEqual([])
  expect(
    await ask(`select (select password_sealed is null from mail_server) as mail, (select fault from mail_returns) as returns,
      (select fault from webhooks) as webhook, (select count(*)::int from sessions where revoked_at is null) > 0 as sessions`),
  ).toEqual([{ mail: true, returns: 'login_refused', webhook: 'secret_lost', sessions: true }])
  const entries = await ask<{ action: string; after: object | null }>(
    `select action, after from audit where action in ('secret.lost', 'user.app_lost') order by 1`,
  )
  expect(entries).toEqual([
    { action: 'secret.lost', after: expect.objectContaining({ apps: 1, webhooks: 1, links: 1 }) },
    { action: 'user.app_lost', after: null },
  ])
  expect(lose('lost\n').said).toContain('Nothing is lost')
})

test('the program starts, links open, people come in, and what waited leaves with a link that works', async () => {
  await ask(`update send_lanes set state = 'open'; delete from mail_server; delete from mail_returns`)
  const program = await start(environment('api,worker'))
  expect((await fetch(program.url + link)).status).toBe(200)
  const answer = await fetch(`${program.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ identifier: superadmin.email, password }),
  })
  expect({ status: answer.status, body: await answer.json() }).toMatchObject({ status: 200 })
  const written = `select m.text from mails m join deliveries d on d.id = m.delivery_id where d.transmission_id = '${waiting}'`
  await expect
    .poll(async () => (await ask<{ text: string }>(written))[0]?.text, { timeout: 30_000 })
    .toContain('/w/video/')
  const [{ text } = { text: '' }] = await ask<{ text: string }>(written)
  const [, fresh = ''] = /(\/w\/video\/\S+)/.exec(text) ?? []
  expect((await fetch(program.url + fresh)).status).toBe(200)
  await stop(program)
  const other = launch({ ...environment(), SECRET_KEY: secret })
  expect(await other.ended).toBe('1')
})
