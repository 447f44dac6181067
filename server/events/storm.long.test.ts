import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { addPeople } from '../testing/audience.ts'
import { aServerWithSystems, anEventAddress, hurryEvents } from '../testing/mail/systems.ts'
import type { Behaviour } from '../testing/mail/webhooks.ts'
import { workersOf } from '../testing/processes/workers.ts'

/** By hand: EVENTS=100000 SEED=7 vitest run --project long server/events/storm.long.test.ts */
const count = Number(process.env['EVENTS'] ?? 600)
const seed = Number(process.env['SEED'] ?? 1)
const isWhole = count >= 10_000
const rounds = 20
const kills = isWhole ? 50 : 6
const faults = isWhole ? 200 : 60

const world = await aServerWithSystems()
const { server, admin, org, receiver, url } = world
const workers = workersOf(
  () => server,
  () => world.env,
)
afterAll(() => workers.killAll())

/** The same numbers for the same seed (mulberry32). */
function chanceOf(start: number) {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

type Came = { id: string; person: string; round: number }
type Body = { data: { person: { id: string; name: string } } }

/** Ways to fail. `keeps`: it has the event, and the sender never learns so. */
const ways: readonly { keeps: boolean; behave: Behaviour }[] = [
  { keeps: false, behave: (_posted, answer) => void answer.writeHead(500).end('on fire') },
  { keeps: false, behave: (_posted, answer) => void answer.writeHead(429, { 'retry-after': '1' }).end() },
  { keeps: false, behave: (_posted, answer) => void answer.writeHead(404).end() },
  { keeps: false, behave: (_posted, _answer, socket) => void socket.destroy() },
  { keeps: true, behave: (_posted, answer) => void answer.writeHead(503).end('taken, and denied') },
  { keeps: true, behave: (_posted, _answer, socket) => void socket.destroy() },
  { keeps: true, behave: (_posted, _answer, socket) => void socket.end('250 as a mail server says\r\n') },
  { keeps: true, behave: (_posted, answer) => void setTimeout(() => answer.end('slow'), 1_500) },
]

test(`none of ${count} events is lost, each person's come in order, and a repeat has the same id, whatever fails (seed ${seed})`, async () => {
  const chance = chanceOf(seed)
  const people = await addPeople(server, org, { count: Math.ceil(count / rounds) })
  await anEventAddress(admin, url, ['person.changed'])
  const came: Came[] = []
  const bodies = new Map<string, string>()
  const changed = new Set<string>()
  let left = faults
  receiver.behave = (posted, answer, socket) => {
    receiver.posted.length = 0
    const { id, name } = (JSON.parse(posted.body) as Body).data.person
    const eventId = String(posted.headers['webhook-id'])
    if ((bodies.get(eventId) ?? posted.body) !== posted.body) changed.add(eventId)
    bodies.set(eventId, posted.body)
    const fails = left > 0 && chance() < (faults * 1.5) / count
    const way = fails ? ways[Math.floor(chance() * ways.length)] : undefined
    if (fails) left -= 1
    if (way?.keeps !== false) came.push({ id: eventId, person: id, round: Number(name) })
    if (way) return way.behave(posted, answer, socket)
    return void answer.end('taken')
  }
  const happen = async () => {
    for (let round = 1; round <= rounds; round += 1) {
      await server.query('update users set name = $1 where id = any($2)', [String(round), people])
      await pause(chance() * 50)
    }
  }
  const waits = async () =>
    (
      await server.query(
        `select from events where sorted_at is null union all (select from event_posts where state <> 'taken' limit 1)`,
      )
    ).length > 0
  const began = Date.now()
  const happening = happen()
  const steady = await workers.start('event-sender.ts')
  for (let n = 0; n < kills; n += 1) {
    const child = await workers.start('event-sender.ts')
    if (n % 5 === 4) await receiver.stop()
    await pause(200 + chance() * 600)
    await workers.kill(child)
    if (n % 5 === 4) await receiver.start()
    await hurryEvents(server)
  }
  await happening
  for (; await waits(); await pause(300)) {
    await hurryEvents(server)
    expect(Date.now() - began).toBeLessThan(120_000 + count * 60)
  }
  await workers.kill(steady)
  const first = new Map<string, Came>()
  for (const one of came) if (!first.has(one.id)) first.set(one.id, one)
  const inOrder = Map.groupBy(first.values(), ({ person }) => person)
  const wanted = Array.from({ length: rounds }, (_round, n) => n + 1)
  const wrong = people.filter(
    (id) => JSON.stringify((inOrder.get(id) ?? []).map(({ round }) => round)) !== JSON.stringify(wanted),
  )
  const seconds = ((Date.now() - began) / 1_000).toFixed(0)
  process.stdout.write(
    `${first.size} events in ${seconds} s, ${came.length - first.size} repeats, ${faults - left} faults, ${kills} kills\n`,
  )
  expect(first.size).toBe(people.length * rounds)
  expect(wrong).toEqual([])
  expect([...changed]).toEqual([])
}, 7_200_000)
