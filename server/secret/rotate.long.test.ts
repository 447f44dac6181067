import { spawnSync } from 'node:child_process'
import { createPublicKey, verify } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { signedText, type CertificateFile } from '#contract/evidence/certificate-format.ts'
import { issueCertificate } from '#contract/evidence/certificates.ts'
import { createTransmission } from '#contract/transmissions/transmissions.ts'
import { addPeople } from '../testing/audience.ts'
import { appCode, factorTests } from '../testing/sign-in/factors.ts'
import { start, type Program } from '../testing/processes/process.ts'
import { playOf } from '../testing/quizzes/quizzes.ts'
import { sendToOne } from '../testing/sending.ts'
import { secret, type Person } from '../testing/server.ts'
import { administer } from '../testing/setup.ts'
import { durationMs, watched } from '../testing/viewing/watched.ts'
import { aSendingServer } from '../testing/worlds.ts'

const command = path.resolve(import.meta.dirname, 'command.ts')

let admin: Person

let before: { link: string; playToken: string; appSecret: string; certificate: string; waiting: string }

const environment = () => ({ DATABASE_URL: server.ownerUrl, DATA_DIR: folder, RUN: 'api,worker' })
const secretIn = (name: string) => readFileSync(path.join(folder, name), 'utf8').trim()

function rotate(...options: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...options], {
    env: { ...process.env, ...environment() },
    encoding: 'utf8',
  })
  return { status, said: stdout + stderr }
}

const restUntil = (until: string) => query(`update send_lanes set backoff_until = ${until}`)

/** A message whose list is written, and of which nothing has left. */
async function messageThatWaits(): Promise<string> {
  await restUntil(`now() + interval '50 seconds'`)
  const { org, videoId } = sending
  const [userId = ''] = await addPeople(server, org, { count: 1, prefix: 'waits' })
  const body = { body: 'Later', videoId, userId, accountId: org }
  const { id } = (await sending.admin.call(createTransmission, { body })).body
  const queued = `select 1 from deliveries where transmission_id = $1 and state = 'queued'`
  await expect.poll(async () => (await query(queued, [id])).length, { timeout: 20_000 }).toBe(1)
  return id
}

/** Somebody has watched, has a certificate of it, and is still in front of the page. */
async function viewing() {
  const { org } = sending
  const viewer = await server.person(null, org)
  const { videoId, versionId } = await watched(server, { orgId: org, userId: viewer.id }, [[0, durationMs]])
  const about = { params: { orgId: org, userId: viewer.id }, body: { videoId } }
  const { id } = (await sending.admin.call(issueCertificate, about)).body
  const certificate = `/api/organizations/${org}/users/${viewer.id}/certificates/${id}/file?format=json`
  const video = { organizationId: org, videoId, versionId, durationMs }
  return { certificate, playToken: playOf(server, video, { userId: viewer.id }).token }
}

const sending = await aSendingServer()
const server = sending.server
const { query } = server
// Another folder would be that of a copy, from which nothing is sent.
const folder = server.services.env.dataDir
await writeFile(path.join(folder, 'secret-key'), `${secret}\n`, { mode: 0o600 })

async function stop(program: Program): Promise<void> {
  program.child.kill('SIGTERM')
  expect(await program.ended).toBe('0')
}

async function post(url: string, body: object, headers: Record<string, string> = {}) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return { status: answer.status, body: (await answer.json()) as { status?: string; flowToken?: string } }
}

/** Signs in with password and app, as from a browser that nobody knows. */
async function signIn({ url }: Program): Promise<string | undefined> {
  await query('update totp_factors set last_step = 0')
  const first = await post(`${url}/api/auth/login`, {
    identifier: admin.email,
    password: 'seven wet dogs in a boat',
  })
  const flow = { 'x-auth-flow': first.body.flowToken ?? '' }
  return (await post(`${url}/api/authorizations/verify-auth-code`, { code: appCode(before.appSecret) }, flow))
    .body.status
}

/** By nothing but the file and what the installation says about its keys. */
async function isGenuine({ url }: Program): Promise<boolean> {
  const headers = { authorization: `Bearer ${sending.admin.token}` }
  const file = (await (await fetch(url + before.certificate, { headers })).json()) as CertificateFile
  const { keyId, publicKey, former } = (await (await fetch(`${url}/api/certificates/key`)).json()) as {
    keyId: string
    publicKey: string
    former: { keyId: string; publicKey: string }[]
  }
  const key = [{ keyId, publicKey }, ...former].find((one) => one.keyId === file.keyId)
  expect(file.publicKey).toBe(key?.publicKey)
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: key?.publicKey ?? '' }
  const signature = Buffer.from(file.signature, 'base64url')
  return verify(null, Buffer.from(signedText(file)), createPublicKey({ key: jwk, format: 'jwk' }), signature)
}

/** One of each thing that the secret has signed or sealed. */
async function make(): Promise<typeof before> {
  const factors = factorTests(() => server)
  admin = await factors.somebody()
  const { secret } = await factors.addApp(admin)
  const { link } = await sendToOne(sending)
  const { certificate, playToken } = await viewing()
  return { link, playToken, appSecret: secret, certificate, waiting: await messageThatWaits() }
}

test('the secret is changed in one step, and not again before the program has run with it', async () => {
  before = await make()
  const { status, said } = rotate()
  expect([status, said]).toEqual([0, expect.stringContaining('restart the program')])
  expect(secretIn('secret-key.previous')).toBe(secret)
  expect(secretIn('secret-key')).not.toBe(secret)
  expect((await stat(path.join(folder, 'secret-key'))).mode & 0o777).toBe(0o600)
  const present = secretIn('secret-key')
  for (const option of [[], ['--end-previous']])
    expect(rotate(...option)).toMatchObject({ status: 1, said: expect.stringContaining('Start it once') })
  expect(secretIn('secret-key')).toBe(present)
})

test('links, viewing, codes of an app, certificates and messages that wait hold as before', async () => {
  await sending.stop()
  const program = await start(environment())
  expect((await fetch(program.url + before.link)).status).toBe(200)
  const receipt = await post(`${program.url}/api/tracks/receipt`, { playToken: before.playToken })
  expect(receipt.status).toBe(200)
  expect(await signIn(program)).toBe('authenticated')
  expect(await isGenuine(program)).toBe(true)
  await restUntil('null')
  const written = `select m.text from mails m join deliveries d on d.id = m.delivery_id where d.transmission_id = $1`
  await expect
    .poll(async () => (await query<{ text: string }>(written, [before.waiting]))[0]?.text, {
      timeout: 30_000,
    })
    .toContain('/w/video/')
  const [{ text } = { text: '' }] = await query<{ text: string }>(written, [before.waiting])
  const [, link = ''] = /(\/w\/video\/\S+)/.exec(text) ?? []
  expect((await fetch(program.url + link)).status).toBe(200)
  await stop(program)
})

test('the former one ends after a day, when nothing waits that needs it; what is kept holds without it', async () => {
  expect(rotate('--end-previous')).toMatchObject({
    status: 1,
    said: expect.stringContaining('less than a day ago'),
  })
  await administer(server.ownerUrl, `update signing_keys set since = since - interval '2 days'`)
  await query(
    `update deliveries set state = 'queued', created_at = created_at - interval '3 days' where transmission_id = $1`,
    [before.waiting],
  )
  expect(rotate()).toMatchObject({ status: 1, said: expect.stringContaining('Messages wait') })
  await query(`update deliveries set state = 'accepted' where transmission_id = $1`, [before.waiting])
  expect(rotate('--end-previous')).toMatchObject({ status: 0, said: expect.stringContaining('restart') })
  expect(existsSync(path.join(folder, 'secret-key.previous'))).toBe(false)
  const program = await start(environment())
  expect((await fetch(program.url + before.link)).status).toBe(200)
  expect(await signIn(program)).toBe('authenticated')
  expect(await isGenuine(program)).toBe(true)
  const receipt = await post(`${program.url}/api/tracks/receipt`, { playToken: before.playToken })
  expect(receipt.status).toBe(401)
  await stop(program)
})

test('a secret that the configuration gives is changed there', () => {
  const { status, stdout } = spawnSync(process.execPath, [command], {
    env: { ...process.env, ...environment(), SECRET_KEY: secret },
    encoding: 'utf8',
  })
  expect(status).toBe(0)
  expect(stdout).toMatch(/SECRET_KEY_PREVIOUS .*present value\n +SECRET_KEY +[\w-]{64}\n/)
  expect(stdout).not.toContain(secret)
})
