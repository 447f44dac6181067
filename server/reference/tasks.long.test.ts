import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { keyScopes } from '#contract/scopes.ts'
import { startEvents } from '../events/start.ts'
import { addPeople, addVideo } from '../testing/audience.ts'
import { aKey } from '../testing/keys.ts'
import { openReceiver } from '../testing/mail/webhooks.ts'
import { freePorts } from '../testing/ports.ts'
import { workOnOperations } from '../testing/operations.ts'
import { until } from '../testing/until.ts'
import { aSendingServer, anAssignment, watches } from '../testing/worlds.ts'

/** Serves `https://` for the program of a task, as something has to that others reach. */
const front = await openReceiver(['localhost'])
const [port = 0] = await freePorts(1)
front.behave = ({ headers, body }, answer) => {
  void ask(headers, body).then((status) => answer.writeHead(status).end())
}
const { server, org, admin } = await aSendingServer({
  WEBHOOK_HOSTS: `localhost:${front.port}`,
  WEBHOOK_CA_FILE: front.ca,
})
const events = startEvents(server.services)
const url = await server.app.listen({ port: 0, host: '127.0.0.1' })
const worker = await workOnOperations(server)
const hasTools = ['bash', 'curl', 'jq'].every(
  (tool) => spawnSync(tool, ['--version'], { stdio: 'ignore' }).error === undefined,
)
let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'sendreel-task-'))
  return () => rmSync(folder, { recursive: true, force: true })
})
afterAll(async () => {
  await events.stop()
  await worker.stop()
  await front.close()
})

/** What the program of the task answers. */
async function ask(headers: IncomingHttpHeaders, body: string): Promise<number> {
  const told = Object.entries(headers).filter(([name]) => name.startsWith('webhook-'))
  const answer = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    headers: Object.fromEntries(told.map(([name, value]) => [name, String(value)])),
    body,
  })
  return answer.status
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

type Task = { commands: string[]; key: string }

/**
 * The commands of a page of `/api/docs`, in their order and as they are copied from it, and a key of the organization with the scopes that
 * it says are enough.
 */
async function taskAt(page: string): Promise<Task> {
  const { body } = await server.app.inject({ url: `/api/docs${page}` })
  const found = [...body.matchAll(/<pre class="run"[^>]*><code>([^]*?)<\/code>/g)]
  expect(found.length, page).toBeGreaterThan(0)
  const [, said = ''] = /<p>(?:Scopes: |What a key may see)(.*?)<\/p>/s.exec(body) ?? []
  const scopes = keyScopes.filter((scope) => said.includes(`<code>${scope}</code>`))
  const commands = found.map(([, text = '']) =>
    text.replaceAll(/&(\w+|#39);/g, (_sign, name: string) => entities[name] ?? ''),
  )
  const { token } = await aKey(server, { organizationId: org, ownerId: admin.id, scopes })
  return { commands, key: token }
}

/** Runs commands one after the other in one shell, as somebody types them; gives what they print. Any that fails ends it. */
async function typed({ commands, key }: Task): Promise<string> {
  const env = {
    ...process.env,
    SENDREEL: url,
    KEY: key,
    ORG: org,
    RECEIVER: `https://localhost:${front.port}/sendreel`,
    PORT: String(port),
  }
  const script = ['set -eo pipefail', `trap 'kill $(jobs -p) 2> /dev/null || true' EXIT`, ...commands].join(
    '\n',
  )
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: folder, env })
  return stdout
}

const fileOf = (name: string) => readFileSync(path.join(folder, name), 'utf8')
const people = () =>
  server.query<{ name: string; state: string; group: string | null }>(
    `select u.name, u.state, g.name as group from users u left join group_members m on m.user_id = u.id left join groups g on g.id = m.group_id
      where u.external_id is not null order by u.external_id`,
  )

test.runIf(hasTools)('a key tells what it may see (needs bash, curl, jq)', async () => {
  expect(await typed(await taskAt(''))).toBe(`${org}  Acme\n`)
})

test.runIf(hasTools)(
  'people are kept in step, a video goes to two of them, and whoever has not watched is found (needs bash, curl, jq)',
  async () => {
    const sync = await taskAt('/keep-people-in-step-with-another-system')
    const printed = await typed(sync)
    expect(printed).toContain('"state": "done"')
    expect(await people()).toEqual([
      { name: 'Ada Lovelace', state: 'active', group: 'Night shift' },
      { name: 'Grace Hopper', state: 'active', group: 'Night shift' },
      { name: 'Alan Turing', state: 'disabled', group: null },
    ])
    expect(fileOf('not-imported.csv').trim().split('\n')).toHaveLength(1)
    // The next night finds everybody as they are.
    await typed(sync)
    expect(await people()).toHaveLength(3)

    const send = await taskAt('/send-a-video-to-named-people')
    const sent = await typed(send)
    expect(sent).toContain('"recipients": 2')
    expect(sent).toMatch(/"ada\.lovelace@example\.com","accepted",/)
    expect(sent).toMatch(/"grace\.hopper@example\.com","accepted",/)
    // Repeated, it is not sent again.
    await typed(send)
    expect(await server.query('select id from transmissions')).toHaveLength(1)

    const videoId = await addVideo(server, org, 'Ladders')
    const [ada] = await server.query<{ id: string }>(`select id from users where external_id = 'E-1042'`)
    const [drill] = await server.query<{ id: string }>(`select id from videos where title = 'Fire drill'`)
    await watches(server, { videoId: drill?.id ?? '', userId: ada?.id ?? '' })
    await anAssignment(admin, { videoId, audience: { everyone: true, userIds: [], groupIds: [] } })
    await typed(await taskAt('/see-who-has-not-watched-a-video'))
    const late = fileOf('not-watched.csv')
    expect(late).toContain('"E-1043","Grace Hopper","grace.hopper@example.com"')
    expect(late).not.toContain('Ada Lovelace')
    expect(fileOf('overdue.csv')).toBe('')
  },
)

test.runIf(hasTools)(
  'a program takes what is completed, once, and believes nobody else (needs bash, curl, jq)',
  async () => {
    const task = await taskAt('/react-when-somebody-has-completed-a-video')
    const running = typed({
      ...task,
      commands: [...task.commands, 'until [ -e enough ]; do sleep 0.2; done'],
    })
    const took = (type: string) => front.posted.find(({ body }) => body.includes(`"type":"${type}"`))
    await until(async () => took('event.test') !== undefined, 30)

    const videoId = await addVideo(server, org, 'Forklift')
    const [userId = ''] = await addPeople(server, org, { count: 1, prefix: 'driver' })
    await watches(server, { videoId, userId })
    await until(async () => existsSync(path.join(folder, 'completed.csv')), 60)
    const { headers, body } = took('video.completed') ?? { headers: {}, body: '' }
    const old = { ...headers, 'webhook-timestamp': String(Math.floor(Date.now() / 1_000) - 301) }
    expect(await ask(headers, body)).toBe(204)
    expect(await ask(headers, body.replace('Forklift', 'Ladders'))).toBe(401)
    expect(await ask(old, body)).toBe(401)
    expect(await ask({}, body)).toBe(401)
    writeFileSync(path.join(folder, 'enough'), '')
    expect(await running).toMatch(/"result": "accepted"/)
    expect(fileOf('completed.csv')).toMatch(/^\d{4}-\S+,null,"Forklift"\n$/)
  },
)
