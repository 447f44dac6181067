import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { pino } from 'pino'
import { checkNames, findings, readDoctor, type Finding, type FindingCode } from '#contract/doctor/doctor.ts'
import { wordsOf } from '#contract/doctor/doctor-words.ts'
import { buildApp } from '../app.ts'
import { readEnv } from '../platform/env.ts'
import { runs } from '../testing/backup/backups.ts'
import { startPatient } from '../testing/doctor.ts'
import { imapLogin, openImap } from '../testing/mail/imap.ts'
import { secret } from '../testing/server.ts'
import { administer, withDatabase } from '../testing/setup.ts'
import { openSink } from '../testing/mail/sink.ts'
import { checks, lookAtAll } from './checks.ts'
import { claimedAddress } from './mirror.ts'

// Each look converts a second of video, and some tests look three times.
vi.setConfig({ testTimeout: 90_000 })

const patient = await startPatient()
const { server, folder, doctor } = patient
afterAll(() => patient.close())

const codesOf = (all: readonly Finding[]) => all.map(({ code }) => code)

type Zone = Record<string, string[]>

/** What the checks find with a DNS that knows these records, in an installation of these settings. */
async function lookWith(environment: Record<string, string>, zone: Zone = {}) {
  const env = readEnv({ LOG_LEVEL: 'silent', DATA_DIR: server.services.env.dataDir, ...environment })
  const resolveTxt = async (name: string) => {
    const records = zone[name]
    if (records) return records.map((text) => [text])
    const isAbove = Object.keys(zone).some((known) => known.endsWith(`.${name}`))
    throw Object.assign(new Error(`queryTxt ${name}`), { code: isAbove ? 'ENODATA' : 'ENOTFOUND' })
  }
  const { db, keys } = server.services
  const options = { port: env.port, ownerUrl: undefined, withoutDatabase: undefined }
  return lookAtAll({ env, db, keys, dns: { resolveTxt }, ...options })
}

const sentFrom = (zone: Zone) =>
  lookWith({ SMTP_URL: 'smtp://127.0.0.1:2', MAIL_FROM: 'Training <post@mail.example.org>' }, zone)

test('every check is in the list once, and everything that can be found is said in a sentence', () => {
  expect(checks.map(({ name }) => name)).toEqual([...checkNames])
  for (const code of Object.keys(findings) as FindingCode[]) {
    const { says, todo } = wordsOf({ code, values: {} })
    expect(says, code).toMatch(/^[^]+\.$/)
    expect(todo !== undefined, `${code} says what to do`).toBe(findings[code] !== 'ok')
  }
})

test('an installation that has what it needs ends with 0, and one with a fault with 1', async () => {
  const good = await doctor({ SECRET_KEY: secret })
  expect(good.findings.filter(({ state }) => state === 'wrong')).toEqual([])
  expect(good.code).toBe(0)
  expect(codesOf(good.findings)).toEqual(
    expect.arrayContaining([
      'clock_right',
      'database_answers',
      'role_bound',
      'owner_right',
      'tables_current',
    ]),
  )
  const bad = await doctor({ SECRET_KEY: secret, SMTP_URL: 'smtp://nobody:hidden-word@127.0.0.1:2' })
  expect(bad.code).toBe(1)
  expect(bad.findings).toContainEqual(
    expect.objectContaining({ check: 'mail', state: 'wrong', code: 'mail_refuses' }),
  )
})

test('people get one line for each finding, what to do below it, and no secret', async () => {
  const password = new URL(server.ownerUrl).password
  const env = { SECRET_KEY: secret, SMTP_URL: 'smtp://nobody:hidden-word@127.0.0.1:2' }
  const { output } = await doctor(env, [])
  expect(output).toMatch(/^fine {3}Database +PostgreSQL 18\S* answers\.$/m)
  expect(output).toMatch(/^WRONG {2}Mail server +127\.0\.0\.1 takes no mail\.\n +→ Nothing answers there\./m)
  expect(output).toMatch(/\n\d+ fine, \d+ to look at, 1 wrong\.\n$/)
  const all = output + (await doctor(env)).output
  for (const hidden of [password, secret, 'hidden-word']) expect(all).not.toContain(hidden)
})

test('a plan that makes none, one that nobody has checked, and what cannot be read', async () => {
  const backups = path.join(folder, 'backups')
  const env = { SECRET_KEY: secret, BACKUP_DIR: backups }
  const reported = async () => {
    const { code, findings: all } = await doctor(env)
    return { code, codes: codesOf(all.filter(({ check }) => check === 'backups')) }
  }
  const plan = (set: string) => server.services.db.system.query(`update backup_plan set ${set}`)
  expect(await reported()).toEqual({ code: 0, codes: ['backups_off'] })
  await plan('is_on = true, updated_at = now()')
  expect(await reported()).toEqual({ code: 0, codes: ['backups_awaited'] })
  await plan(`updated_at = now() - interval '3 days'`)
  expect(await reported()).toEqual({ code: 1, codes: ['backups_missing'] })
  const made = await runs('backup', [], { ...env, DATABASE_URL: server.ownerUrl, DATA_DIR: folder })
  expect(made).toMatchObject({ code: 0 })
  expect(await reported()).toEqual({ code: 0, codes: ['backups_made', 'backups_unchecked'] })
  await plan(`checked_at = now() - interval '34 days'`)
  await mkdir(path.join(backups, '2026-01-01T00-00-00-000Z'))
  expect(await reported()).toEqual({
    code: 0,
    codes: ['backups_made', 'backups_checked', 'backups_unreadable'],
  })
  await plan(`checked_at = now() - interval '36 days', damage = 'The file is not the same.'`)
  expect(await reported()).toMatchObject({
    code: 1,
    codes: ['backups_made', 'backups_damaged', 'backups_unreadable'],
  })
  await plan(`is_on = false, damage = null, checked_at = null`)
})

test('without a database the rest is looked at nevertheless, and nothing is made', async () => {
  const { code, findings: reported } = await doctor({ DATABASE_URL: 'postgres://a:b@127.0.0.1:2/none' })
  expect(code).toBe(1)
  expect(codesOf(reported)).toEqual(
    expect.arrayContaining(['database_gone', 'needs_database', 'storage_works']),
  )
  const empty = path.join(folder, 'nowhere')
  const fresh = await doctor({ DATABASE_URL: '', DATA_DIR: empty })
  expect(fresh.code).toBe(0)
  expect(codesOf(fresh.findings)).toEqual(['database_not_begun'])
  await expect(readFile(path.join(empty, 'secret-key'))).rejects.toThrow('ENOENT')
})

test('a database that is new is not called broken', async () => {
  const name = `empty_${process.pid}`
  await administer(server.ownerUrl, `create database ${name}`)
  const { code, findings: reported } = await doctor({ DATABASE_URL: withDatabase(server.ownerUrl, name) })
  await administer(server.ownerUrl, `drop database ${name} with (force)`)
  expect(code).toBe(0)
  expect(codesOf(reported)).toEqual(['database_empty'])
})

test('tables of another release, and a role that may do more than serve, are found', async () => {
  await administer(
    server.ownerUrl,
    `insert into migrations (name, hash) values ('9999_of_a_later_release', '')`,
  )
  expect(codesOf((await doctor({ SECRET_KEY: secret })).findings)).toContain('tables_newer')
  await administer(server.ownerUrl, `delete from migrations where name = '9999_of_a_later_release'`)
  const asOwner = { SECRET_KEY: secret, DATABASE_OWNER_URL: server.ownerUrl }
  const { code, findings: reported } = await doctor(asOwner)
  expect(code).toBe(1)
  expect(codesOf(reported)).toContain('role_unbound')
  await administer(server.ownerUrl, 'alter table groups disable row level security')
  const open = await doctor({ SECRET_KEY: secret })
  await administer(server.ownerUrl, 'alter table groups enable row level security')
  expect(open.findings).toContainEqual(
    expect.objectContaining({ code: 'policies_missing', values: { tables: 'groups' } }),
  )
})

test('a secret that others can read is found, and one that is gone', async () => {
  const file = path.join(folder, 'secret-key')
  await writeFile(file, `${secret}\n`)
  await chmod(file, 0o644)
  expect(codesOf((await doctor({})).findings)).toContain('secret_open')
  await chmod(file, 0o600)
  expect(codesOf((await doctor({})).findings)).toContain('secret_kept')
  await rm(file)
  expect(codesOf((await doctor({})).findings)).toContain('secret_missing')
})

test('a mail server is greeted and logged in to, and gets no mail', async () => {
  const sink = await openSink()
  const reported = await lookWith({ SMTP_URL: sink.url })
  expect(codesOf(reported)).toContain('mail_answers')
  expect(sink.received).toEqual([])
  await sink.close()
})

test('the mailbox for returns is opened, and a password that nobody can open is found', async () => {
  const { db, keys } = server.services
  expect(codesOf(await lookWith({}))).toContain('returns_none')
  const imap = await openImap()
  imap.put('x')
  const named = async (password: string) => {
    const sealed = keys.seal('mail-returns', password, 'mail_returns')
    await db.system.query('delete from mail_returns')
    await db.system.query(
      `insert into mail_returns (address, host, port, encryption, login, password_sealed, folder)
        values ('b@acme.org', '127.0.0.1', $1, 'none', 'bounces', $2, 'INBOX')`,
      [imap.port, sealed],
    )
  }
  await named(imapLogin.password)
  expect(await lookWith({})).toContainEqual({
    check: 'returns',
    state: 'ok',
    code: 'returns_read',
    values: { host: '127.0.0.1', count: '1' },
  })
  await named('wrong')
  expect(await lookWith({})).toContainEqual(
    expect.objectContaining({
      code: 'returns_unreadable',
      values: { host: '127.0.0.1', fault: 'login_refused' },
    }),
  )
  await db.system.query(`update mail_returns set password_sealed = 'x'`)
  expect(codesOf(await lookWith({}))).toContain('returns_password_lost')
  await db.system.query('delete from mail_returns')
  await imap.close()
})

test('what the domain of the sender lacks is named with the record to add', async () => {
  const bare = await sentFrom({ 'mail.example.org': ['some other text'] })
  const records = Object.fromEntries(bare.map(({ code, values }) => [code, values['record']]))
  expect(records['spf_missing']).toBe('mail.example.org TXT "v=spf1 mx ~all"')
  expect(records['dmarc_missing']).toMatch(/^_dmarc\.mail\.example\.org TXT "v=DMARC1;/)
  expect(codesOf(await sentFrom({}))).toContain('domain_unknown')
})

test('mails that are signed here ask for our own key, and a signature without its record is a fault', async () => {
  const { system } = server.services.db
  await system.query(`insert into mail_signing (domain, selector, public_key, key_sealed, is_on)
    values ('example.org', 'reel', 'AbC', '', true)`)
  const other = { 'mail.example.org': [], 'theirs._domainkey.mail.example.org': ['v=DKIM1; p=AbC'] }
  try {
    expect(await sentFrom(other)).toContainEqual({
      check: 'sender',
      state: 'wrong',
      code: 'dkim_unpublished',
      values: { domain: 'example.org', record: 'reel._domainkey.example.org TXT "v=DKIM1; k=rsa; p=AbC"' },
    })
    const ours = { ...other, 'reel._domainkey.example.org': ['v=DKIM1; k=rsa; p=AbC'] }
    expect(codesOf(await sentFrom(ours))).toContain('dkim_there')
  } finally {
    await system.query('delete from mail_signing')
  }
})

test('records that are there are seen, that of a domain above and keys of any name too', async () => {
  const whole = await sentFrom({
    'mail.example.org': ['v=spf1 include:relay.example.net ~all'],
    's2026._domainkey.mail.example.org': ['v=DKIM1; k=rsa; p=abc'],
    '_dmarc.example.org': ['v=DMARC1; p=reject'],
  })
  const ofSender = whole.filter(({ check }) => check === 'sender')
  expect(codesOf(ofSender)).toEqual(['spf_there', 'dkim_there', 'dmarc_there'])
  const two = await sentFrom({ 'mail.example.org': ['v=spf1 mx -all', 'v=spf1 a -all'] })
  expect(codesOf(two)).toContain('spf_double')
  expect(codesOf(await sentFrom({ 'mail.example.org': ['v=spf1 mx +all'] }))).toContain('spf_open')
})

type Passing = (claimed: string) => Record<string, string>

/** A proxy in front of this installation, which hands on these headers; on another address of this machine than the server trusts. */
type Proxy = { passing: Passing; trusted: string; clock?: Date }

async function behindProxy({ passing, trusted, clock }: Proxy, look: (url: string) => Promise<void>) {
  const env = { ...server.services.env, ...readEnv({ TRUSTED_PROXIES: trusted, LOG_LEVEL: 'silent' }) }
  const app = await buildApp({ ...server.services, env }, pino({ level: 'silent' }))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const proxy: Server = createServer((request, response) => {
    const claimed = String(request.headers['x-forwarded-for'] ?? '')
    const hand = async () => {
      const answer = await fetch(`http://127.0.0.1:${port}${request.url}`, { headers: passing(claimed) })
      const date = (clock ?? new Date()).toUTCString()
      response.writeHead(answer.status, { 'content-type': 'application/json', date })
      response.end(await answer.text())
    }
    hand().catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => proxy.once('listening', resolve))
  await look(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`)
  proxy.close()
  await app.close()
}

const appending: Passing = (claimed) => ({ 'x-forwarded-for': `${claimed}, 198.51.100.4` })
const ofProxy = (all: readonly Finding[]) => codesOf(all.filter(({ check }) => check === 'proxy'))

test('a proxy that is trusted and adds whom it speaks for is as it should be', async () => {
  await behindProxy({ passing: appending, trusted: 'loopback' }, async (url) => {
    const reported = await lookWith({ PUBLIC_URL: url })
    expect(codesOf(reported)).toContain('address_answers')
    expect(reported).toContainEqual(
      expect.objectContaining({ code: 'proxy_right', values: { address: '198.51.100.4' } }),
    )
  })
})

test('a proxy that nobody trusts is named, and so is too wide a trust', async () => {
  await behindProxy({ passing: appending, trusted: '10.0.0.0/8' }, async (url) => {
    const reported = await lookWith({ PUBLIC_URL: url, TRUSTED_PROXIES: '10.0.0.0/8' })
    expect(reported).toContainEqual(
      expect.objectContaining({ code: 'proxy_untrusted', values: { peer: '127.0.0.1' } }),
    )
  })
  const wide = 'loopback, 198.51.100.0/24'
  await behindProxy({ passing: appending, trusted: wide }, async (url) =>
    expect(ofProxy(await lookWith({ PUBLIC_URL: url, TRUSTED_PROXIES: wide }))).toEqual(['proxy_wide']),
  )
})

test('a proxy that tells nobody for whom it speaks is found', async () => {
  await behindProxy({ passing: () => ({}), trusted: 'loopback' }, async (url) =>
    expect(ofProxy(await lookWith({ PUBLIC_URL: url }))).toEqual(['proxy_secretive']),
  )
})

test('a clock that is not that of the public address is found, with how far it is off', async () => {
  const clock = new Date(Date.now() - 100_000)
  await behindProxy({ passing: appending, trusted: 'loopback', clock }, async (url) => {
    const [wrong, ...more] = (await lookWith({ PUBLIC_URL: url })).filter(({ check }) => check === 'clock')
    expect(more).toEqual([])
    expect(wrong).toMatchObject({ code: 'clock_wrong', values: { place: url } })
    expect(Math.abs(Number(wrong?.values['seconds']) - 100)).toBeLessThan(5)
  })
})

test('another installation at the public address is not taken for this one', async () => {
  const other = createServer((_request, response) => response.end('{"status":"ready"}')).listen(
    0,
    '127.0.0.1',
  )
  await new Promise((resolve) => other.once('listening', resolve))
  const { port } = other.address() as AddressInfo
  const reported = await lookWith({
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    PORT: String(port),
    HOST: '127.0.0.1',
  })
  expect(codesOf(reported)).toEqual(expect.arrayContaining(['address_foreign', 'port_taken']))
  other.close()
})

test('nobody but the installation itself may ask how a request arrives', async () => {
  const { status } = await server.send('GET', `/api/system/mirror/${Date.now()}.abc.${'x'.repeat(43)}`)
  expect(status).toBe(404)
  const old = `${Date.now() - 3_600_000}.abc`
  const signed = `${old}.${server.services.keys.sign('mirror', old)}`
  expect((await server.send('GET', `/api/system/mirror/${signed}`)).status).toBe(404)
  const fresh = `${Date.now()}.abc`
  const url = `/api/system/mirror/${fresh}.${server.services.keys.sign('mirror', fresh)}`
  const { body } = await server.send('GET', url, { headers: { 'x-forwarded-for': claimedAddress } })
  expect(body).toMatchObject({ address: claimedAddress, isTrusted: true, forwarded: claimedAddress })
})

test('a superadmin reads the same in the console, without a secret', async () => {
  const superadmin = await server.person('superadmin')
  const { status, body } = await superadmin.call(readDoctor)
  expect(status).toBe(200)
  expect(new Set(body.findings.map(({ check }) => check))).toContain('database')
  expect(codesOf(body.findings)).toEqual(expect.arrayContaining(['tables_current', 'mail_none']))
  const admin = await server.person('admin', await server.organization())
  expect((await admin.call(readDoctor)).status).toBe(403)
})
