import { setTimeout as pause } from 'node:timers/promises'
import { readCount } from '../../platform/db/rows.ts'
import { sql } from '../../platform/db/sql.ts'
import { processName } from '../../platform/jobs/queue.ts'
import { openSink } from '../mail/sink.ts'
import { chance, type Chance } from '../viewing/viewers.ts'
import { startCluster, type Machine, type Surroundings } from './cluster.ts'
import { creating, importing } from './people.ts'
import { sending } from './sending.ts'
import { trying } from './trying.ts'
import { uploading } from './uploading.ts'
import { watching } from './watching.ts'
import { among, sceneOf, type Scene } from './work.ts'

export type Plan = {
  faults: number
  seconds: number
  recipients: number
  seed: number
  surroundings?: Surroundings
  /** What happens to the machines: faults, where there is a standby its primary is killed, or one after the other is replaced. */
  isUpdate?: boolean
}
export type Outcome = {
  counts: Record<string, number>
  /** Milliseconds until a machine was ready again, and until one that was told to end had ended. */
  starts: number[]
  ends: number[]
  errors: Map<string, number>
  faults: string[]
}

const firstFaultMs = 5_000

/**
 * Two machines of each role behind a balancer, each with a folder of its own, are killed, frozen and restarted at random, and their store
 * goes away, while people upload, watch, try, create, import and are written to. What must not happen is told in `faults`.
 */
export async function campaign(plan: Plan, say: (line: string) => void = () => undefined): Promise<Outcome> {
  const luck = chance(plan.seed)
  const sink = await openSink({
    delayMs: () => luck.next() * 20,
    drop: () => luck.next() < 0.004,
    reply: (step) => (step === 'rcpt' && luck.next() < 0.01 ? '451 4.3.0 try again' : undefined),
  })
  try {
    const cluster = await startCluster(
      { SMTP_URL: sink.url, MEDIA_WORKERS: '1', ...(plan.isUpdate && { DRAIN_SECONDS: '5' }) },
      plan.surroundings,
    )
    try {
      return await under(plan, { cluster, sink, luck, say })
    } finally {
      await cluster.close()
    }
  } finally {
    await sink.close()
  }
}

type Given = Pick<Scene, 'cluster' | 'sink' | 'luck'> & { say: (line: string) => void }

async function under(plan: Plan, { say, ...given }: Given): Promise<Outcome> {
  const scene = await sceneOf(given)
  const works = [
    await uploading(scene),
    await watching(scene),
    await creating(scene),
    await importing(scene),
    await trying(scene),
    await sending(scene, plan),
  ]
  const outcome: Outcome = { counts: {}, starts: [], ends: [], errors: new Map(), faults: scene.faults }
  await among(scene, works, async () => {
    const { failOver } = scene.cluster
    if (plan.isUpdate) await replaceAll(plan, { scene, outcome })
    else if (failOver) await replacePrimary(plan, { scene, outcome, failOver })
    else await disturb(plan, { scene, outcome, say })
    say('nothing new is begun')
  })
  for (const work of works) Object.assign(outcome.counts, await work.judge())
  const { asked, again } = scene.front.counts
  Object.assign(outcome.counts, { 'questions to the balancer': asked, 'asked again': again })
  outcome.errors = scene.cluster.errors()
  return outcome
}

/** As an update does it: each machine is told to end, and begins again, before the next one. No question may fail for it. */
async function replaceAll(
  { seconds }: Plan,
  { scene, outcome }: Pick<Disturbed, 'scene' | 'outcome'>,
): Promise<void> {
  const { cluster, faults, front } = scene
  await pause(seconds * 500)
  for (const machine of cluster.machines) {
    const { ms, code } = await machine.end()
    outcome.ends.push(ms)
    if (code !== '0') faults.push(`${machine.name} was told to end, and ended with ${code}`)
    outcome.starts.push(await machine.start())
  }
  await pause(seconds * 500)
  for (const one of front.again) faults.push(`asked again: ${one}`)
}

const longestReturnMs = 10_000

/** In the middle of everything the primary ends, and its standby takes its place. Whoever is not back by itself in time is a fault. */
async function replacePrimary(
  { seconds }: Plan,
  { scene, outcome, failOver }: Pick<Disturbed, 'scene' | 'outcome'> & { failOver: () => Promise<number> },
): Promise<void> {
  const { cluster, faults } = scene
  await pause(seconds * 500)
  outcome.counts['ms until the standby had taken over'] = Math.round(await failOver())
  const began = performance.now()
  const isBack = async () => {
    const apis = cluster.machines.filter(({ role }) => role === 'api')
    const answers = await Promise.all(
      apis.map(({ address }) => fetch(`http://${address}/api/health`).then(({ ok }) => ok)),
    )
    const listening = sql`select count(*)::int as n from pg_stat_activity where application_name = ${processName}
      and datname = current_database()`
    const there = await readCount(cluster.server.services.db.single, listening)
    // Beside the machines, the server of the test itself listens.
    return answers.every(Boolean) && there > cluster.machines.length
  }
  while (!(await isBack().catch(() => false))) {
    if (performance.now() - began > 3 * longestReturnMs) break
    await pause(100)
  }
  const ms = Math.round(performance.now() - began)
  outcome.counts['ms until every process was back'] = ms
  if (ms > longestReturnMs) faults.push(`the processes were back ${ms} ms after the new primary`)
  await pause(seconds * 500)
}

type Disturbed = { scene: Scene; outcome: Outcome; luck: Chance }

/** As long as a fault mostly takes, with the start after it: where they are to come faster, several machines have theirs at once. */
const usualSeconds = 10

/** So many faults, evenly over the time; what one of them began has ended before the next of its row. */
async function disturb(
  { faults, seconds, seed }: Plan,
  { say, ...at }: Omit<Disturbed, 'luck'> & { say: (line: string) => void },
): Promise<void> {
  await pause(firstFaultMs)
  const began = Date.now()
  const rows = Math.ceil((faults * usualSeconds) / seconds)
  const busy = new Set<Machine | 'store'>()
  let begun = 0
  const row = async (_: unknown, place: number) => {
    // What is disturbed and when follows from the seed, whatever else draws lots meanwhile.
    const luck = chance(seed + place)
    while (begun < faults) {
      begun += 1
      const due = began + (begun * seconds * 1_000) / faults
      say(`${begun} of ${faults}: ${await oneFault({ ...at, luck }, busy)}`)
      await pause(Math.max(0, due - Date.now()))
    }
  }
  await Promise.all(Array.from({ length: rows }, row))
}

type Fault = (machine: Machine, at: Disturbed) => Promise<string>

const faultKinds: Record<'kill' | 'freeze' | 'restart' | 'store', Fault> = {
  async kill(machine, { scene, outcome, luck }) {
    scene.killed.set(machine.run(), Date.now())
    await machine.kill()
    await pause(luck.between(0, 4_000))
    outcome.starts.push(await machine.start())
    return `${machine.name} killed`
  },
  async freeze(machine, { luck }) {
    // Longer than what it holds is held for, or shorter.
    const seconds = luck.pick([1, 3, 8, 15, 25])
    machine.freeze()
    await pause(seconds * 1_000)
    machine.thaw()
    return `${machine.name} frozen for ${seconds} s`
  },
  async restart(machine, { scene, outcome }) {
    const { ms, code } = await machine.end()
    outcome.ends.push(ms)
    if (code !== '0') scene.faults.push(`${machine.name} was told to end, and ended with ${code}`)
    outcome.starts.push(await machine.start())
    return `${machine.name} restarted in ${Math.round(ms)} ms`
  },
  async store(_machine, { scene: { cluster }, luck }) {
    const how = luck.pick(['away', 'slow', 'failing'] as const)
    const seconds = luck.between(2, 15)
    cluster.store.behave(how)
    await pause(seconds * 1_000)
    cluster.store.behave('well')
    return `store ${how} for ${seconds} s`
  },
}

const kinds = ['kill', 'kill', 'kill', 'kill', 'freeze', 'freeze', 'restart', 'restart', 'store'] as const

/** One of those who have none now. */
async function oneFault(at: Disturbed, busy: Set<Machine | 'store'>): Promise<string> {
  const { luck, scene } = at
  const free = scene.cluster.machines.filter((machine) => !busy.has(machine))
  const kind = luck.pick(busy.has('store') ? kinds.filter((one) => one !== 'store') : kinds)
  const machine = luck.pick(free)
  const whose = kind === 'store' ? kind : machine
  busy.add(whose)
  try {
    return await faultKinds[kind](machine, at)
  } finally {
    busy.delete(whose)
  }
}
