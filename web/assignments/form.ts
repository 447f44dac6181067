import * as z from 'zod/mini'
import {
  createAssignment,
  type Assignment,
  type readAssignment,
  type ValidFrom,
} from '#contract/assignments/assignments.ts'
import type { ParsedBody, Reply } from '#contract/endpoint.ts'
import { fieldErrors } from '#web/api/forms/fieldErrors.ts'
import type { FormError } from '#web/api/forms/form.ts'
import { adopt } from '#web/api/forms/merge.ts'
import { plural } from '#web/ui/format.ts'
import {
  audienceOf,
  isAnybodyChosen,
  nothing,
  type Choice,
  type Draft,
} from '#web/transmissions/compose/draft.ts'

/** `key` is that of its row, wherever the row is moved. */
export type Further = { key: string; name: string; video: Draft['video'] }

/** The form of an assignment holds this, with numbers as they were typed. */
export type Plan = {
  /** It has the organization, the video, the people, the subject and the message, as the composer of transmissions has them. */
  draft: Draft
  name: string
  requirement: Assignment['requirement']
  /** Empty means that nothing is to be confirmed. */
  statement: string
  due: 'none' | 'day' | 'after'
  dueDay: string
  dueDays: string
  dueWorking: boolean
  isValidFor: boolean
  months: string
  renewDays: string
  validFrom: ValidFrom
  countsSince: string
  begins: 'at_once' | 'after'
  waitsFor: { id: string; name: string } | null
  /** These videos follow the first one, when the assignment is created. */
  further: readonly Further[]
  daysBefore: string
  onTheDay: boolean
  daysAfter: string
  weekly: boolean
  most: string
  escalate: NonNullable<Assignment['escalation']>['to'] | 'nobody'
  escalateDays: string
  /**
   * The assignment comes of a message with a day: its recipients owe it, and `grows` lets in who joins its audience. Null means that the
   * assignment has people of its own.
   */
  ofMessage: { subject: string; grows: boolean; mayGrow: boolean } | null
}

export const labels: Record<string, string> = {
  name: 'Name',
  videoId: 'Video',
  further: 'Further videos',
  statement: 'Sentence to confirm',
  waitsForId: 'Begins',
  audience: 'Recipients',
  due: 'Due',
  countsSince: 'Also count what was watched since',
  validity: 'How long it is valid',
  reminders: 'Reminders',
  escalation: 'When nobody reacts',
  subject: 'Subject',
  message: 'Message',
}

export const emptyPlan = (organizationId: string): Plan => ({
  draft: {
    ...nothing,
    organizationId,
    subject: 'Please watch this video',
    body: 'Please watch this video. Your link is personal, so it counts for you.',
  },
  name: '',
  requirement: 'watched',
  statement: '',
  due: 'after',
  dueDay: '',
  dueDays: '14',
  dueWorking: false,
  isValidFor: false,
  months: '12',
  renewDays: '30',
  validFrom: 'done',
  countsSince: '',
  begins: 'at_once',
  waitsFor: null,
  further: [],
  daysBefore: '3',
  onTheDay: true,
  daysAfter: '2',
  weekly: true,
  most: '6',
  escalate: 'nobody',
  escalateDays: '7',
  ofMessage: null,
})

const KeptVideo = z.catch(z.nullable(z.object({ id: z.string(), title: z.string() })), null)
const keptList = <T extends z.ZodMiniType>(one: T) => z.catch(z.array(one), [])
const KeptChoices = keptList(z.object({ id: z.string(), name: z.string(), detail: z.string() }))
/** `adopt` cannot fit in these parts of a plan, which are chosen from lists. */
const KeptPlan = z.object({
  draft: z.object({
    video: KeptVideo,
    people: KeptChoices,
    groups: KeptChoices,
    exceptPeople: KeptChoices,
    exceptGroups: KeptChoices,
  }),
  waitsFor: z.catch(z.nullable(z.object({ id: z.string(), name: z.string() })), null),
  further: keptList(z.object({ key: z.string(), name: z.string(), video: KeptVideo })),
})

/** Returns the plan that this browser has kept. Whatever does not fit the form of today is as it was at the start. */
export function resumedPlan(start: Plan, content: unknown): Plan {
  const stored = KeptPlan.safeParse(content).data
  if (!stored) return start
  const { draft, ...fields } = adopt(start, content)
  return { ...fields, ...stored, draft: { ...draft, ...stored.draft } }
}

const numbers = (text: string) =>
  text
    .split(/[\s,;]+/)
    .filter((part) => part !== '')
    .map(Number)

type Named = {
  people: readonly Choice[]
  groups: readonly Choice[]
  exceptPeople: readonly Choice[]
  exceptGroups: readonly Choice[]
}

const detailed = (named: readonly { id: string; name: string }[]) =>
  named.map((who) => ({ ...who, detail: '' }))

/** Returns the names of people and groups, as the form shows them. */
export const namesIn = ({ named }: Reply<typeof readAssignment>): Named => ({
  people: detailed(named.people),
  groups: detailed(named.groups),
  exceptPeople: detailed(named.exceptPeople),
  exceptGroups: detailed(named.exceptGroups),
})

/** Returns the form of an assignment that is there already. Names of people and groups come from elsewhere. */
export function planOf(one: Assignment, named: Named): Plan {
  const { due, validity, reminders, escalation } = one
  return {
    ...emptyPlan(one.organizationId),
    draft: {
      ...nothing,
      ...named,
      organizationId: one.organizationId,
      video: { id: one.video.id, title: one.video.title },
      everyone: one.audience.everyone,
      channel: one.audience.channel ?? 'email',
      subject: one.subject,
      body: one.message,
    },
    name: one.name,
    requirement: one.requirement,
    statement: one.statement ?? '',
    due: due.kind,
    ...(due.kind === 'day' && { dueDay: due.day }),
    ...(due.kind === 'after' && { dueDays: String(due.days), dueWorking: due.working }),
    isValidFor: validity !== null,
    ...(validity && {
      months: String(validity.months),
      renewDays: String(validity.renewDays),
      validFrom: validity.from,
    }),
    countsSince: one.countsSince ?? '',
    begins: one.waitsFor ? 'after' : 'at_once',
    waitsFor: one.waitsFor,
    daysBefore: reminders.daysBefore.join(', '),
    onTheDay: reminders.onTheDay,
    daysAfter: reminders.daysAfter.join(', '),
    weekly: reminders.weekly,
    most: String(reminders.most),
    ofMessage: one.transmission && {
      subject: one.transmission.subject,
      grows: one.grows,
      mayGrow: !one.audience.of && !one.audience.viewing,
    },
    ...(escalation && { escalate: escalation.to, escalateDays: String(escalation.afterDays) }),
  }
}

/** Returns the form for the next video of the path of an assignment, for the same people on the same terms. */
export function planAfter(one: Assignment, named: Named): Plan {
  const plan = { ...planOf(one, named), ofMessage: null }
  const draft = { ...plan.draft, video: null }
  return { ...plan, draft, name: '', begins: 'after', waitsFor: { id: one.id, name: one.name } }
}

type Content = Omit<ParsedBody<typeof createAssignment>, 'start' | 'further' | 'urgentReason'>

function dueOf(plan: Plan): Content['due'] {
  if (plan.due === 'day') return { kind: 'day', day: plan.dueDay }
  if (plan.due === 'after') return { kind: 'after', days: Number(plan.dueDays), working: plan.dueWorking }
  return { kind: 'none' }
}

function validityOf({ isValidFor, months, renewDays, validFrom: from }: Plan): Content['validity'] {
  return isValidFor ? { months: Number(months), renewDays: Number(renewDays), from } : null
}

/** Makes the request that creates it. */
export function contentOf(plan: Plan): Content {
  const { draft } = plan
  return {
    name: plan.name.trim() === '' ? (draft.video?.title ?? '') : plan.name,
    videoId: draft.video?.id ?? '',
    audience: audienceOf({ ...draft, viewing: null }),
    requirement: plan.requirement,
    statement: plan.statement.trim() === '' ? null : plan.statement,
    due: dueOf(plan),
    validity: validityOf(plan),
    countsSince: plan.countsSince === '' ? null : plan.countsSince,
    waitsForId: plan.begins === 'after' ? (plan.waitsFor?.id ?? '') : null,
    reminders: {
      daysBefore: numbers(plan.daysBefore),
      onTheDay: plan.onTheDay,
      daysAfter: numbers(plan.daysAfter),
      weekly: plan.weekly,
      most: Number(plan.most),
    },
    escalation:
      plan.escalate === 'nobody' ? null : { afterDays: Number(plan.escalateDays), to: plan.escalate },
    subject: draft.subject,
    message: draft.body,
  }
}

/** Returns what is asked about before it begins. */
export function toStart(plan: Plan) {
  const { name: _name, subject: _subject, message: _message, ...rest } = contentOf(plan)
  return rest
}

/** Says what follows the first video. */
export function furtherText({ further }: Plan): string | undefined {
  return further.length === 0
    ? undefined
    : `${plural(further.length, 'more video follows', 'more videos follow')}, each once the one before is completed.`
}

/** Returns the videos that follow the first one. */
export const furtherOf = ({ further }: Plan) =>
  further.map(({ name, video }) => ({
    name: name.trim() === '' ? (video?.title ?? '') : name,
    videoId: video?.id ?? '',
  }))

const shape = z.omit(createAssignment.body, { start: true })
const pleaseChoose: Record<string, string> = {
  videoId: 'Please choose a video.',
  further: 'Please choose a video.',
  waitsForId: 'Please choose the assignment that comes before.',
  audience: 'Please choose who has to see it.',
  due: 'Please choose a day, or a number of days from 1 to 730.',
  validity: 'Write months from 1 to 120, and days from 0 to 90.',
  reminders: 'Write days from 1 to 365, at most five of each, and at most 20 reminders.',
  escalation: 'Write days from 1 to 90.',
}

/** Lists what is missing or wrong, in the order of the page. */
export function missingIn(plan: Plan): FormError[] {
  const wrong = fieldErrors(shape, { ...contentOf(plan), further: furtherOf(plan) })
  const fields = new Set(Object.keys(wrong).map((field) => field.split('.')[0] ?? field))
  // It is called as its video, which is missing itself then.
  if (plan.name.trim() === '') fields.delete('name')
  if (plan.ofMessage === null && !isAnybodyChosen(plan.draft)) fields.add('audience')
  return Object.keys(labels)
    .filter((field) => fields.has(field))
    .map((field) => ({
      field,
      label: labels[field] ?? field,
      message: pleaseChoose[field] ?? wrong[field] ?? 'This is not valid.',
    }))
}
