import { execFile } from 'node:child_process'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { updateMailSigning } from '#contract/identity/mail-signing.ts'
import { createTransmission, readTransmission } from '#contract/transmissions/transmissions.ts'
import { openSink, type Sink } from '#server/testing/mail/sink.ts'
import type { BenchDatabase } from './database.ts'
import { bound, type Figure } from './figures.ts'
import { addOrganization, addVideo, installed, type Installation } from './installation.ts'
import { cpuSeconds, peakMemory } from './program.ts'

const workload = 'mails'
/** The bare program sends these at most: its figure is one for each mail. */
const mostOfFloor = 20_000

/** A transmission with a day to everybody of one organization, from the button to the last mail, as its administrator sends it. */
export async function mails(recipients = 20_000): Promise<Figure[]> {
  const sink = await openSink()
  try {
    const environment = { SMTP_URL: sink.url, MAIL_FROM: 'Acme <training@acme.test>' }
    const ours = await installed((on) => send(on, { sink, recipients }), environment)
    const floor = await floorOf(sink, Math.min(recipients, mostOfFloor))
    const line = { workload, unit: '' }
    const many = recipients.toLocaleString('en-US')
    return [
      {
        ...line,
        what: `${many} recipients are in the ledger after`,
        unit: 's',
        ours: ours.prepared,
        target: bound(120),
      },
      {
        ...line,
        what: `mails to ${many}, signed`,
        unit: '/s',
        ours: recipients / ours.sent,
        target: { of: 'figure', least: 300 },
      },
      {
        ...line,
        what: 'a mail from the audience to the ledger, signed, CPU',
        unit: 'CPU s / 1,000',
        ours: (ours.cpu * 1000) / recipients,
        floor,
      },
      { ...line, what: 'memory of the product, at most', unit: 'MB', ours: ours.memory, target: bound(250) },
      {
        ...line,
        what: 'recipients without a mail, with two, or without a duty',
        ours: ours.faults,
        target: bound(0),
      },
    ]
  } finally {
    await sink.close()
  }
}

type Sent = { prepared: number; sent: number; cpu: number; memory: number; faults: number }

async function send(
  on: Installation,
  { sink, recipients }: { sink: Sink; recipients: number },
): Promise<Sent> {
  const { client, database, pid } = on
  await client.call(updateMailSigning, { body: { domain: 'acme.test', selector: 'reel', isOn: true } })
  const organizationId = await addOrganization(on, 'Acme', 0)
  const videoId = await addVideo(on, organizationId, { seconds: 2, width: 320, height: 180, style: 'bars' })
  await addPeople(database, organizationId, recipients)
  await database.query('update send_lanes set rate = 1e9, ceiling = 1e9, burst = 1e9, tokens = 1e9')
  await database.query('vacuum analyze')
  const cpu = () => cpuSeconds(pid) + cpuSeconds(database.pid)
  const [began, before] = [performance.now(), cpu()]
  const seconds = () => (performance.now() - began) / 1000
  const audience = { everyone: true, userIds: [], groupIds: [], exceptGroupIds: [], exceptUserIds: [] }
  const dueAt = new Date(Date.now() + 7 * 86_400_000).toISOString()
  const { id } = await client.call(createTransmission, {
    body: {
      subject: 'Please watch',
      body: 'Hello {{firstName}}',
      videoId,
      accountId: organizationId,
      audience,
      dueAt,
    },
  })
  const reached = new Map<string, number>()
  // What was counted is let go: a million mails are more than this process can hold.
  const count = () => {
    for (const { to } of sink.received.splice(0)) reached.set(to, (reached.get(to) ?? 0) + 1)
  }
  let prepared: number | undefined
  for (let state = ''; state !== 'completed'; await pause(500)) {
    ;({ state } = await client.call(readTransmission, { params: { transmissionId: id } }))
    if (state === 'sending' || state === 'completed') prepared ??= seconds()
    if (state === 'paused' || state === 'failed') throw new Error(`the transmission is ${state}`)
    count()
  }
  const sent = seconds()
  count()
  const [owed] = await database.query<{ n: number }>(
    'select count(*)::int as n from obligations where assignment_id = (select id from assignments where message_id = $1)',
    [id],
  )
  const once = [...reached.values()].filter((times) => times === 1).length
  const faults = recipients - once + Math.abs(recipients - (owed?.n ?? 0))
  return { prepared: prepared ?? sent, sent, cpu: cpu() - before, memory: peakMemory(pid), faults }
}

/** Nobody waits too long for one statement. */
const insertedAtOnce = 10_000

/** So many people without a role, `person-<n>@example.test`. */
async function addPeople(database: BenchDatabase, organizationId: string, count: number): Promise<void> {
  for (let from = 1; from <= count; from += insertedAtOnce)
    await database.query(
      `insert into users (organization_id, name, email)
        select $1::uuid, 'Person ' || n, 'person-' || n || '@example.test' from generate_series($2::int, $3::int) n`,
      [organizationId, from, Math.min(count, from + insertedAtOnce - 1)],
    )
}

/** CPU seconds for 1,000 mails. */
async function floorOf(sink: Sink, count: number): Promise<number> {
  const { port } = new URL(sink.url)
  const script = path.join(import.meta.dirname, 'floors/floor-mails.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [script, port, String(count)])
  return (Number(stdout) * 1000) / count
}
