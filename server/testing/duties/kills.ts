import type { ChildProcess } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { changeObligation, createAssignment } from '#contract/assignments/assignments.ts'
import { readMailEvents } from '#contract/transmissions/mail-events.ts'
import { readSending, releaseSending } from '#contract/transmissions/sending.ts'
import { changeTransmission, createTransmission } from '#contract/transmissions/transmissions.ts'
import { aggregateOnce } from '../viewing/aggregate.ts'
import { addPeople, addVideo } from '../audience.ts'
import { openFolder } from '../processes/process.ts'
import { newPlace, runs } from '../backup/backups.ts'
import { openTestServer, secret, startTestServer, type Person, type TestServer } from '../server.ts'
import { openSink, type Sink } from '../mail/sink.ts'
import { until } from '../until.ts'
import { chance, writeLog, type Chance } from '../viewing/viewers.ts'
import { watched } from '../viewing/watching.ts'
import { workersOf } from '../processes/workers.ts'

const workers = 3

/** `messages`: with a day, so that their recipients owe a video each; every other one asks for no reminders. */
export type Plan = { people: number; assignments: number; messages: number; kills: number; seed: number }
export type Outcome = {
  kills: number
  mails: number
  reports: number
  returns: number
  /** To recipients of messages with a day. */
  reminders: number
  faults: string[]
}

type Known = { message: string; about: string; isOfMessage: boolean }

/** An organization whose people owe videos, and everything that is done to it. */
type Scene = {
  server: TestServer
  orgId: string
  admin: Person
  superadmin: Person
  sink: Sink
  luck: Chance
  people: string[]
  videos: { videoId: string; versionId: string }[]
  /** Of each delivery: what it was for, and what it was about; of both databases. `isOfMessage`: it reminds of the day of a message. */
  known: Map<string, Known>
  /** Mails that were on their way to somebody when they had done it; nothing else of that video may leave for them. */
  excused: Map<string, Set<string>>
  /** Mails that had arrived when it began. */
  arrived: number
  reports: number
  returned: Set<string>
  round: number
}

/**
 * Processes that plan and send are killed again and again while the mail server breaks off at every step of the protocol, people watch,
 * mails come back, and once the whole installation is set back to a backup. What must not happen is told in `faults`.
 */
export async function campaign(plan: Plan, say: (line: string) => void = () => undefined): Promise<Outcome> {
  const folder = await openFolder()
  const luck = chance(plan.seed)
  const sink = await openSink({
    delayMs: () => luck.next() * 10,
    drop: () => luck.next() < 0.004,
    reply: (step) => (step === 'rcpt' && luck.next() < 0.01 ? '451 4.3.0 try again' : undefined),
  })
  const server = await startTestServer({ SMTP_URL: sink.url })
  const scene = await begin(server, sink, { plan, luck })
  const environment = {
    DATABASE_URL: server.ownerUrl,
    DATA_DIR: server.services.env.dataDir,
    BACKUP_DIR: path.join(folder, 'backups'),
    SECRET_KEY: secret,
  }
  const [early, meanwhile] = [Math.floor(plan.kills * 0.4), Math.ceil(plan.kills * 0.1)]
  await killing(scene, early, say)
  const [backup] = await Promise.all([runs('backup', [], environment), killing(scene, meanwhile, say)])
  if (backup.code !== 0) throw new Error(backup.output)
  await note(scene)
  const faults = [...lateMails(scene), ...(await unasked(scene))]
  const place = await newPlace(folder)
  const restored = await runs('restore', ['--from', environment.BACKUP_DIR], place.environment)
  if (restored.code !== 0) throw new Error(restored.output)
  say(`set back to a backup after ${sink.received.length} mails`)
  const { DATABASE_URL: ownerUrl, DATA_DIR: dataDir } = place.environment
  const later = await openTestServer({ ownerUrl, dataDir }, { SMTP_URL: sink.url })
  try {
    const [admin, superadmin] = [await later.person('admin', scene.orgId), await later.person('superadmin')]
    const after: Scene = {
      ...scene,
      server: later,
      admin,
      superadmin,
      excused: new Map(),
      arrived: sink.received.length,
    }
    faults.push(...(await answer(after)))
    await killing(after, plan.kills - early - meanwhile, say)
    await settle(after)
    await note(after)
    faults.push(...lateMails(after), ...(await unasked(after)), ...(await judged(after)))
    const { reports, returned, known } = after
    const reminders = [...new Set(sink.received.map(({ deliveryId }) => deliveryId))].filter(
      (id) => known.get(id)?.isOfMessage,
    ).length
    return {
      kills: plan.kills,
      mails: sink.received.length,
      reports,
      returns: returned.size,
      reminders,
      faults,
    }
  } finally {
    await later.close()
    await place.drop()
    await server.close()
    await sink.close()
    await rm(folder, { recursive: true, force: true })
  }
}

const rowsOf = async <Row extends object>({ server }: Scene, text: string, values: unknown[] = []) =>
  (await server.services.db.system.query<Row>(text, values)).rows

type Begin = { plan: Plan; luck: Chance }
async function begin(server: TestServer, sink: Sink, { plan, luck }: Begin): Promise<Scene> {
  const orgId = await server.organization()
  const [admin, superadmin] = [await server.person('admin', orgId), await server.person('superadmin')]
  const people = await addPeople(server, orgId, { count: plan.people, prefix: 'owing' })
  const { system } = server.services.db
  await system.query('update send_lanes set rate = 100000, ceiling = 100000, burst = 100000, tokens = 100000')
  const videos: Scene['videos'] = []
  for (let n = 0; n < plan.assignments + plan.messages; n += 1) {
    const videoId = await addVideo(server, orgId, `Lesson ${n}`)
    const asked = n - plan.assignments
    const { problem } =
      asked < 0 ? await assign(admin, orgId, videoId) : await send(admin, { orgId, videoId, n: asked })
    if (problem) throw new Error(JSON.stringify(problem))
    const { rows } = await system.query<{ id: string }>('select id from video_versions where video_id = $1', [
      videoId,
    ])
    videos.push({ videoId, versionId: rows[0]?.id ?? '' })
  }
  const maps: Pick<Scene, 'known' | 'excused' | 'returned'> = {
    known: new Map(),
    excused: new Map(),
    returned: new Set(),
  }
  return {
    server,
    orgId,
    admin,
    superadmin,
    sink,
    luck,
    people,
    videos,
    ...maps,
    arrived: 0,
    reports: 0,
    round: 0,
  }
}

const reminders = { daysBefore: [3], onTheDay: true, daysAfter: [2], weekly: true, most: 5 }

const assign = (admin: Person, orgId: string, videoId: string) =>
  admin.call(createAssignment, {
    params: { orgId },
    body: {
      name: 'Duty',
      videoId,
      audience: { everyone: true },
      requirement: 'watched',
      due: { kind: 'after', days: 60, working: false },
      validity: null,
      countsSince: null,
      reminders,
      subject: 'Please watch this',
      message: 'It concerns everybody.',
      start: true,
    },
  })

/** Of every other one nobody is to be reminded. */
const send = (admin: Person, { orgId, videoId, n }: { orgId: string; videoId: string; n: number }) =>
  admin.call(createTransmission, {
    body: {
      accountId: orgId,
      videoId,
      subject: 'By then',
      body: 'Please watch this.',
      audience: { everyone: true },
      dueAt: new Date(Date.now() + 60 * 864e5).toISOString().slice(0, 10),
      reminders: n % 2 === 0 ? reminders : null,
    },
  })

/** As many kills; each time another of the processes, at any moment. */
async function killing(scene: Scene, kills: number, say: (line: string) => void): Promise<void> {
  const { luck, sink } = scene
  const starts = workersOf(
    () => scene.server,
    () => ({ SMTP_URL: sink.url, UNDO_SECONDS: '0' }),
  )
  const alive: ChildProcess[] = []
  try {
    for (let n = 0; n < kills; n += 1) {
      while (alive.length < workers) alive.push(await starts.start())
      await pause(luck.next() * 400)
      for (let times = luck.between(0, 3); times > 0; times -= 1) await watch(scene)
      if (luck.next() < 0.5) await aggregateOnce(scene.server.services.db)
      await excuse(scene)
      await comeBack(scene)
      await goOn(scene)
      const [one] = alive.splice(luck.between(0, alive.length - 1), 1)
      if (one) await starts.kill(one)
      if (n % 50 === 49) say(`${n + 1} of ${kills} kills, ${sink.received.length} mails`)
    }
  } finally {
    for (const one of alive) await starts.kill(one)
  }
}

/** Somebody watches all of a video; from the moment that this is reported nothing more about it may leave for them. */
async function watch(scene: Scene): Promise<void> {
  const { server, luck, people, videos, orgId, excused } = scene
  const userId = luck.pick(people)
  const { videoId, versionId } = luck.pick(videos)
  const key = `${userId} ${videoId}`
  if (excused.has(key)) return
  const owes = await rowsOf(
    scene,
    `select 1 from obligations where user_id = $1 and video_id = $2 and state = 'open'`,
    [userId, videoId],
  )
  if (owes.length === 0) return
  const play = { org: orgId, video: videoId, version: versionId, durMs: 60_000, maxRate: 2, theta: 0.95 }
  const at = Date.now() + 1_000
  await writeLog(server, [
    watched(server, { play: { ...play, kind: 'recipient', userId }, at, part: [0, 60_000] }),
  ])
  await judgingEnds(scene)
  const leaving = await rowsOf<{ id: string }>(
    scene,
    `select d.id from deliveries d join transmissions t on t.id = d.transmission_id
      where d.user_id = $1 and t.video_id = $2 and d.state not in ('queued', 'deferred')
        and (d.state <> 'sending' or d.handed_at is not null)`,
    [userId, videoId],
  )
  excused.set(key, new Set(leaving.map(({ id }) => id)))
  scene.reports += 1
}

/** Somebody who owes it is waived and owes it again at once, also before their message has left: then they wait for that as before. */
async function excuse(scene: Scene): Promise<void> {
  const { luck, orgId, admin, people } = scene
  const owed = await rowsOf<{ assignmentId: string; userId: string }>(
    scene,
    `select assignment_id as "assignmentId", user_id as "userId" from obligations where state = 'open' and user_id = $1 order by messages, id`,
    [luck.pick(people)],
  )
  const [one] = owed
  if (!one || luck.next() < 0.5) return
  for (const action of ['waive', 'unwaive'] as const) {
    const reason = 'As agreed'
    const { status, problem } = await admin.call(changeObligation, {
      params: { orgId, ...one },
      body: { do: action === 'waive' ? { action, reason, until: null } : { action, reason } },
    })
    // Their report may just have been counted.
    if (status !== 200 && problem?.reason?.code !== 'obligation_moved_on')
      throw new Error(`${action}: ${JSON.stringify(problem)}`)
  }
}

/** What was being let go at this moment is on its way: it was judged without the report. */
async function judgingEnds(scene: Scene): Promise<void> {
  const [now] = await rowsOf<{ at: Date }>(scene, 'select clock_timestamp() as at')
  await until(async () => {
    const judging = await rowsOf(
      scene,
      `select 1 from pg_stat_activity where state = 'active' and query like 'with reminds%' and query_start < $1 and datname = current_database()`,
      [now?.at],
    )
    return judging.length === 0
  })
}

/** One mail in thirty comes back, as a provider reports it. */
async function comeBack({ server, sink, luck, returned, superadmin }: Scene): Promise<void> {
  const one = sink.received.at(luck.between(0, Math.max(0, sink.received.length - 1)))
  if (!one || luck.next() > 0.2 || returned.size > sink.received.length / 30) return
  const event = {
    kind: 'returned',
    permanent: luck.next() < 0.5,
    status: '5.1.1',
    detail: '550 5.1.1 No such user',
  }
  const at = new Date().toISOString()
  const payload = JSON.stringify({
    events: [{ id: crypto.randomUUID(), deliveryId: one.deliveryId, at, ...event }],
  })
  const key = (await superadmin.call(readMailEvents)).body.secret
  const seconds = Math.floor(Date.now() / 1_000)
  const hmac = createHmac('sha256', key).update(`${seconds}.${payload}`).digest('hex')
  await server.app.inject({
    method: 'POST',
    url: '/api/mail-events/generic',
    payload,
    headers: { 'content-type': 'application/json', 'x-signature': `t=${seconds},v1=${hmac}` },
  })
  returned.add(one.deliveryId)
}

/** What waits for a minute is due at once; when all mails of a day have left, the next day's are due. */
async function goOn(scene: Scene): Promise<void> {
  await rowsOf(scene, `update deliveries set due_at = now() where state = 'deferred'`)
  await resume(scene)
  await rowsOf(scene, `update send_lanes set backoff_until = null, state = 'open'`)
  if (await isBusy(scene)) return
  scene.round += 1
  await rowsOf(
    scene,
    `update obligations o set next_message_on = current_date - 2 - $1::int from assignments a
      where a.id = o.assignment_id and (a.reminders ->> 'most')::int > 0 and o.state = 'open' and o.messages > 0`,
    [scene.round],
  )
}

const isBusy = async (scene: Scene) =>
  (
    await rowsOf(
      scene,
      `select 1 where exists (select from transmissions where state in ('scheduled', 'preparing', 'sending'))
        or exists (select from obligations where state = 'open' and (not counted or next_message_on < current_date))
        or not exists (select from obligations)`,
    )
  ).length > 0

/** What the returns have stopped goes on: whoever is told of them has looked at it. */
async function resume(scene: Scene): Promise<void> {
  const paused = await rowsOf<{ id: string; version: number }>(
    scene,
    `select id, version from transmissions where state = 'paused'`,
  )
  for (const { id: transmissionId, version } of paused)
    await scene.admin.call(changeTransmission, {
      params: { transmissionId },
      body: { action: 'resume', version },
    })
}

/** The restored installation sends nothing before somebody says what it is. */
async function answer(scene: Scene): Promise<string[]> {
  const { server, sink, superadmin } = scene
  const before = sink.received.length
  const starts = workersOf(
    () => server,
    () => ({ SMTP_URL: sink.url }),
  )
  await starts.start()
  try {
    await until(async () => (await superadmin.call(readSending)).body.hold !== null)
    await superadmin.call(releaseSending, { body: { answer: 'restored' } })
    const isAsked = sink.received.length === before
    await until(async () => (await superadmin.call(readSending)).body.hold === null)
    return isAsked ? [] : ['something left before anybody said what the restored installation is']
  } finally {
    starts.killAll()
  }
}

/** Nobody dies any more, until nothing is left to be sent. */
async function settle(scene: Scene): Promise<void> {
  const starts = workersOf(
    () => scene.server,
    () => ({ SMTP_URL: scene.sink.url }),
  )
  await starts.start()
  try {
    while ((await aggregateOnce(scene.server.services.db)) > 0);
    await until(async () => {
      await rowsOf(scene, `update deliveries set due_at = now() where state = 'deferred'`)
      await rowsOf(
        scene,
        `update deliveries set lease_until = now() where state = 'sending' and lease_until > now() + interval '100 s'`,
      )
      await resume(scene)
      return !(await isBusy(scene))
    }, 300)
  } finally {
    starts.killAll()
  }
}

/** What each delivery that there is was for. A message goes to whoever has done what it asks for as well, so that it is about nothing. */
async function note(scene: Scene): Promise<void> {
  const found = await rowsOf<Known & { id: string }>(
    scene,
    `select d.id, concat_ws(' ', o.user_id, o.assignment_id, o.cycle, m.kind, m.slot) as message, concat_ws(' ', o.user_id, o.video_id) as about,
        a.message_id is not null as "isOfMessage"
      from obligation_messages m join obligations o on o.id = m.obligation_id join assignments a on a.id = o.assignment_id
        join deliveries d on d.transmission_id = m.transmission_id and d.user_id = o.user_id
      union all select d.id, concat_ws(' ', d.user_id, a.id, 'message'), '', false
        from assignments a join deliveries d on d.transmission_id = a.message_id`,
  )
  for (const { id, ...what } of found) scene.known.set(id, what)
}

/** Mails about what their reader had done, and had been reported to have done, before the mail was on its way. */
function lateMails({ sink, known, excused, arrived }: Scene): string[] {
  return sink.received.slice(arrived).flatMap(({ deliveryId }) => {
    const about = known.get(deliveryId)?.about ?? ''
    const leaving = excused.get(about)
    return leaving && !leaving.has(deliveryId) ? [`${about} was done, and got mail ${deliveryId}`] : []
  })
}

/** Of a message whose author asked for no reminders nothing else is ever sent. */
async function unasked(scene: Scene): Promise<string[]> {
  const sent = await rowsOf<{ told: string }>(
    scene,
    `select concat_ws(' ', o.user_id, o.assignment_id, m.kind, m.slot) as told from obligation_messages m join obligations o on o.id = m.obligation_id
        join assignments a on a.id = o.assignment_id where (a.reminders ->> 'most')::int = 0`,
  )
  return sent.map(({ told }) => `nobody asked for ${told}`)
}

async function judged(scene: Scene): Promise<string[]> {
  const { sink, known } = scene
  const counts = new Map<string, number>()
  for (const { deliveryId } of sink.received)
    for (const key of [
      deliveryId,
      known.get(deliveryId)?.message ?? `no message of an assignment: ${deliveryId}`,
    ])
      counts.set(key, (counts.get(key) ?? 0) + 1)
  const twice = [...counts].filter(([, n]) => n > 1).map(([key, n]) => `${key} arrived ${n} times`)
  const strange = [...counts.keys()].filter((key) => key.startsWith('no message'))
  const ledger = await rowsOf<{ id: string; state: string }>(scene, 'select id, state from deliveries')
  const arrived = new Set(sink.received.map(({ deliveryId }) => deliveryId))
  const lost = ledger
    .filter(({ id, state }) => ['accepted', 'delivered', 'bounced'].includes(state) && !arrived.has(id))
    .map(({ id, state }) => `${id} is ${state} and never arrived`)
  const open = ledger.filter(({ state }) => ['queued', 'sending', 'deferred'].includes(state))
  const without = await rowsOf<{ id: string }>(
    scene,
    `select o.id::text from obligations o where o.state <> 'done' and not exists (select from obligation_messages m
      join transmissions t on t.id = m.transmission_id left join deliveries d on d.transmission_id = t.id and d.user_id = o.user_id
      where m.obligation_id = o.id and (t.state = 'held' or d.state is not null))
      and not exists (select from assignments a join deliveries d on d.transmission_id = a.message_id
        where a.id = o.assignment_id and d.user_id = o.user_id)
    union all select concat_ws(' ', u.id, a.id) from assignments a join users u on u.id = any($1::uuid[])
      where a.message_id is not null and not exists (select from obligations o where o.assignment_id = a.id and o.user_id = u.id)`,
    [scene.people],
  )
  return [
    ...twice,
    ...strange,
    ...lost,
    ...open.map(({ id, state }) => `${id} is still ${state}`),
    ...without.map(({ id }) => `nobody wrote to whoever owes ${id}`),
  ]
}
