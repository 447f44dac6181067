import * as assignments from '#contract/assignments/assignments.ts'
import { planAssignments } from '../../assignments/plan.ts'
import { setClock } from '../clock.ts'
import type { SendingServer } from '../sending.ts'
import { chance } from '../viewing/viewers.ts'
import { aggregate } from '../viewing/watching.ts'
import { happen } from './happen.ts'
import type { Mail, Rule } from './duty.ts'
import { openModel, type Model } from './model.ts'
import { found, moveClock, settle, type Organization, type World } from './world.ts'

const hour = 3_600_000
const day = 24 * hour
/** Between two looks of the simulation at what happens. */
const step = 4 * hour
/** After what happens at a step, until the product looks. */
const afterMs = 120_000

export type Simulated = {
  /** How often an obligation was compared with the model, once on each day. */
  compared: number
  mails: number
  happened: ReturnType<Model['happened']>
  /** What differs, in words; empty where product and model agree. */
  differences: string[]
}

export type Simulation = { from: string; days: number; people: number; seed: number }

const enough = 20
/** Of a message that has ended nothing happens any more once its day is not set again. */
const comparedAfterMs = 30 * day

/** So many days of two organizations in two time zones, in which people and administrators do something every four hours. */
export async function simulate(
  sending: SendingServer,
  { from, days, people, seed }: Simulation,
  say: (line: string) => void = () => undefined,
): Promise<Simulated> {
  const begun = Date.parse(from) + hour / 2
  await setClock(sending.server, begun)
  const world: World = { sending, luck: chance(seed), model: openModel(), organizations: [], arrears: [] }
  for (const zone of ['Europe/Berlin', 'Pacific/Auckland'])
    world.organizations.push(await found(world, { zone, people }))
  const happened = world.model.happened()
  const result: Simulated = { compared: 0, mails: 0, happened, differences: [] }
  for (let at = begun; at < begun + days * day && result.differences.length < enough; at += step) {
    await moveClock(world, at)
    await happen(world, at)
    await look(world, at + afterMs)
    const differences = result.differences.length
    if ((at - begun) % day === day - step) await compare(world, at + afterMs, result)
    for (const one of result.differences.slice(differences)) say(one)
    if ((at - begun) % (30 * day) === 0) say(`${isoDay(at)}: ${world.model.mails.length} mails`)
  }
  result.mails = world.model.mails.length
  result.happened = world.model.happened()
  const ofMails = await compareMails(world)
  for (const one of ofMails) say(one)
  result.differences.push(...ofMails)
  return result
}

const isoDay = (at: number) => new Date(at).toISOString().slice(0, 10)

/** Plans and sends; reports in arrears are counted only when the mails are on their way. */
async function look(world: World, at: number): Promise<void> {
  const { sending, model, organizations, arrears } = world
  await moveClock(world, at)
  const { server } = sending
  await planAssignments(server.services)
  model.plan(
    organizations.flatMap(({ everybody }) => everybody),
    at,
  )
  model.mail(at)
  const late = arrears.splice(0)
  for (const view of late) model.see(view)
  model.deliver()
  if (late.length > 0) await aggregate(server, [])
  await settle(world)
}

/** Which stretches of the version that plays the product takes for missing, by assignment and person. */
async function missingIn({ sending }: World): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sending.server.services.db.system.query<{ whose: string; missing: string }>(
    `select concat_ws(' ', o.assignment_id, o.user_id) as whose,
        (int4multirange(int4range(0, x.duration_ms)) - case when o.counts_from = '-infinity'
          then coalesce((select w.coverage from viewer_videos w where w.version_id = x.id and w.viewer_key = 'recipient:' || o.user_id), '{}')
          when o.version_id = x.id then o.coverage else '{}' end)::text as missing
      from obligations o join videos v on v.id = o.video_id join video_versions x on x.id = v.current_version_id
      where o.assignment_id is not null and o.state in ('open', 'waived')`,
  )
  return new Map(rows.map(({ whose, missing }) => [whose, missing]))
}

async function compare(world: World, at: number, result: Simulated): Promise<void> {
  const missing = await missingIn(world)
  const isOld = ({ message }: Rule) => at - (message?.endedAt ?? at) > comparedAfterMs
  for (const organization of world.organizations)
    for (const rule of world.model.rules.filter((one) => one.zone === organization.zone && !isOld(one)))
      await compareRule(world, { organization, rule, at, missing }, result)
}

type Compared = { organization: Organization; rule: Rule; at: number; missing: ReadonlyMap<string, string> }

async function compareRule(
  { model }: World,
  { organization, rule, at, missing }: Compared,
  result: Simulated,
): Promise<void> {
  const { admin, id: orgId, everybody } = organization
  const answer = await admin.call(assignments.listObligations, {
    params: { orgId, assignmentId: rule.id },
    query: { limit: 100 },
  })
  const byPerson = new Map(answer.body.items.map((one) => [one.user.id, one]))
  for (const userId of everybody) {
    const duty = model.present(rule, userId)
    const one = byPerson.get(userId)
    if (!duty && !one) continue
    result.compared += 1
    const expected = duty && {
      ...model.stateOf(duty, at),
      missing: model.missingIn(duty),
      cycle: duty.cycle,
      dueAt: duty.dueAt,
      validUntil: duty.state === 'done' ? duty.validUntil : null,
      nextMessageOn: duty.state === 'open' && rule.state === 'active' ? duty.next : null,
    }
    const seen = one && {
      state: one.state,
      missingMs: one.missingMs,
      missing: missing.get(`${rule.id} ${userId}`) ?? null,
      cycle: one.cycle,
      dueAt: one.dueAt === null ? null : Date.parse(one.dueAt),
      validUntil: one.validUntil === null || one.state === 'ended' ? null : Date.parse(one.validUntil),
      nextMessageOn: one.nextMessageOn,
    }
    if (JSON.stringify(expected) !== JSON.stringify(seen))
      result.differences.push(
        `${isoDay(at)} ${rule.zone} ${rule.name} ${one?.user.name}: expected ${JSON.stringify(expected)}, told ${JSON.stringify(seen)}`,
      )
  }
}

const sortedTexts = (mails: Mail[]) => mails.map((one) => Object.values(one).join(' ')).sort()

/** Every mail of the model was sent, once, and no other; whoever was done when it came to them was left out of it. */
async function compareMails({ sending, model }: World): Promise<string[]> {
  const { rows } = await sending.server.services.db.system.query<Mail>(
    `select o.user_id as "userId", o.assignment_id as "assignmentId", o.cycle, m.kind, m.slot::text as slot
      from obligation_messages m join obligations o on o.id = m.obligation_id
        join deliveries d on d.transmission_id = m.transmission_id and d.user_id = o.user_id
      where d.state = 'accepted'
    union all select d.user_id, a.id, 1, 'message', '' from assignments a join deliveries d on d.transmission_id = a.message_id
      where d.state = 'accepted'`,
  )
  const expected = sortedTexts(model.mails)
  const sent = sortedTexts(rows)
  const missing = expected.filter((one) => !sent.includes(one)).map((one) => `not sent: ${one}`)
  const strange = sent.filter((one) => !expected.includes(one)).map((one) => `not planned: ${one}`)
  return [
    ...missing,
    ...strange,
    ...(sent.length === expected.length ? [] : ['a mail was sent twice']),
  ].slice(0, enough)
}
