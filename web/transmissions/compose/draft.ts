import type { createDraft } from '#contract/transmissions/drafts.ts'
import type { Body, Reply } from '#contract/endpoint.ts'
import {
  createTransmission,
  type followUpParts,
  type editTransmission,
  type previewAudience,
  type readTransmissionPlan,
} from '#contract/transmissions/transmissions.ts'
import type { Reminders } from '#contract/duty/reminders.ts'
import type { Video } from '#contract/videos/videos.ts'
import type { WavePlan } from '#contract/transmissions/waves.ts'
import { Viewing, type viewingKinds } from '#contract/tracking/viewing.ts'
import { fieldErrors } from '#web/api/forms/fieldErrors.ts'
import type { FormError } from '#web/api/forms/form.ts'
import { formatPosition, parsePosition } from '#web/quizzes/position.ts'

type Plan = Reply<typeof readTransmissionPlan>

export type Choice = { id: string; name: string; detail: string }
type Chosen = { id: string; title: string } | null

type DraftViewing = {
  kind: (typeof viewingKinds)[number]
  video: Chosen
  /** These are the ends of a part, as they were typed. */
  from: string
  to: string
  questionKey: string
}

/** The composer holds this. */
export type Draft = {
  organizationId: string
  video: Chosen
  subject: string
  body: string
  /** It leaves at a day and an hour of the organization; null means as soon as it is sent. */
  leaving: { day: string; time: string; inOwnZones: boolean } | null
  /** Null means that everybody gets it at once. */
  waves: WavePlan | null
  /** It is true when it leaves whatever the hours of the organization are. */
  outsideHours: boolean
  /** This is a day, or empty. */
  due: string
  /** These reminders go to whoever still owes it, where it has a day; null means none. */
  reminders: Reminders | null
  /** The personal links end on this day; empty means that they do not. */
  linksEnd: string
  /** It goes to these people of an earlier transmission, and to nobody else. */
  follows: { id: string; subject: string; part: (typeof followUpParts)[number] } | null
  everyone: boolean
  /** People are reached by this way. */
  channel: 'email' | 'webhook'
  /** It narrows the chosen people to those who have watched in this way. */
  viewing: DraftViewing | null
  people: readonly Choice[]
  groups: readonly Choice[]
  /** These people and groups get nothing, whatever else was chosen. */
  exceptPeople: readonly Choice[]
  exceptGroups: readonly Choice[]
}

const plan = { daysBefore: [3], onTheDay: true, daysAfter: [2] }
export const usualReminders: Reminders = { ...plan, weekly: false, most: 3 }
export const weeklyReminders: Reminders = { ...plan, weekly: true, most: 6 }

export const nothing: Draft = {
  organizationId: '',
  video: null,
  subject: '',
  body: '',
  due: '',
  reminders: usualReminders,
  leaving: null,
  waves: null,
  outsideHours: false,
  linksEnd: '',
  follows: null,
  everyone: false,
  channel: 'email',
  viewing: null,
  people: [],
  groups: [],
  exceptPeople: [],
  exceptGroups: [],
}

/**
 * A message begins with these words, which may be sent as they are, whatever the video and the day. The mail adds the name of its sender,
 * and where there is no subject, one that names sender and video.
 */
export const firstWords = `Hello {{firstName|colleague}},

please watch the video “{{video}}”. Open it with the link in this message, so that it counts for you.

Thank you.`

export const noViewing: DraftViewing = {
  kind: 'not_completed',
  video: null,
  from: '',
  to: '',
  questionKey: '',
}

/** Returns what the composer holds for how people of a transmission have watched. */
export function draftViewingOf({ viewing, title }: NonNullable<Plan['viewing']>): DraftViewing {
  const { kind, videoId } = viewing
  return {
    ...noViewing,
    kind,
    video: { id: videoId, title },
    ...(kind === 'not_seen' && { from: formatPosition(viewing.fromMs), to: formatPosition(viewing.toMs) }),
    ...(kind === 'answered_wrongly' && { questionKey: viewing.questionKey }),
  }
}

export const labels: Record<string, string> = {
  accountId: 'Organization',
  videoId: 'Video',
  audience: 'Recipients',
  viewing: 'Of these',
  subject: 'Subject',
  body: 'Message',
  leavesAt: 'When it leaves',
  waves: 'Waves',
  dueAt: 'Due day',
  linksEndAt: 'Links work until',
}

/** Returns null where nobody is left out by how they watched, or where that is not said yet. */
function viewingOf({ follows, viewing }: Draft): Viewing | null {
  if (!viewing || follows) return null
  const { kind, video, from, to, questionKey } = viewing
  const whole = {
    kind,
    videoId: video?.id,
    ...(kind === 'not_seen' && { fromMs: parsePosition(from), toMs: parsePosition(to) }),
    ...(kind === 'answered_wrongly' && { questionKey }),
  }
  return Viewing.safeParse(whole).data ?? null
}

const isViewingOpen = (draft: Draft) =>
  draft.viewing !== null && draft.follows === null && viewingOf(draft) === null

export function audienceOf(draft: Draft) {
  const { follows, everyone, channel, people, groups, exceptPeople, exceptGroups } = draft
  const viewing = viewingOf(draft)
  const ids = (choices: readonly Choice[]) => (everyone || follows ? [] : choices.map(({ id }) => id))
  return {
    ...(follows && { of: { transmissionId: follows.id, part: follows.part } }),
    ...(viewing && { viewing }),
    ...(channel === 'webhook' && { channel }),
    userIds: ids(people),
    groupIds: ids(groups),
    everyone: everyone && follows === null,
    exceptUserIds: exceptPeople.map(({ id }) => id),
    exceptGroupIds: exceptGroups.map(({ id }) => id),
  }
}

export const isAnybodyChosen = ({ follows, everyone, people, groups }: Draft) =>
  follows !== null || everyone || people.length > 0 || groups.length > 0

export const hasAudience = (draft: Draft) => isAnybodyChosen(draft) && !isViewingOpen(draft)

export function countRequestOf(draft: Draft): Body<typeof previewAudience> {
  const { leaving } = draft
  return {
    ...whomOf(draft),
    isDuty: draft.due !== '',
    ...(draft.video && { videoId: draft.video.id }),
    // With an hour of their own, people are counted by zone as well.
    ...(leaving?.inOwnZones && isHour(leaving) ? { leavesAt: leaving } : {}),
  }
}

export const whomOf = (draft: Draft) => ({ accountId: draft.organizationId, audience: audienceOf(draft) })

/** Makes the request that changes a transmission that is there already, as of `version`. */
export function editOf(draft: Draft, version: number): Body<typeof editTransmission> {
  const { accountId: _fixed, ...content } = requestOf(draft)
  return { ...content, audience: audienceOf(draft), version }
}

/** Makes the request that sends the draft. */
export function requestOf(draft: Draft): Body<typeof createTransmission> {
  return {
    accountId: draft.organizationId,
    videoId: draft.video?.id ?? '',
    body: draft.body,
    ...(draft.subject.trim() === '' ? {} : { subject: draft.subject }),
    audience: audienceOf(draft),
    ...(draft.leaving ? { leavesAt: draft.leaving } : {}),
    ...(draft.waves ? { waves: draft.waves } : {}),
    ...(draft.outsideHours ? { outsideHours: true } : {}),
    ...(draft.due === '' ? {} : { dueAt: draft.due, reminders: draft.reminders }),
    ...(draft.linksEnd === '' ? {} : { linksEndAt: draft.linksEnd }),
  }
}

const isHour = (leaving: Draft['leaving']) => leaving !== null && leaving.day !== '' && leaving.time !== ''

/** Makes the request that keeps it as far as it is written. */
export function draftRequestOf(draft: Draft): Body<typeof createDraft> {
  const { leaving } = draft
  return {
    ...requestOf({ ...draft, leaving: isHour(leaving) ? leaving : null }),
    videoId: draft.video?.id ?? null,
    audience: audienceOf(draft),
  }
}

const pleaseChoose: Record<string, string> = {
  accountId: 'Please choose an organization.',
  videoId: 'Please choose a video.',
  audience: 'Please choose who gets it.',
  leavesAt: 'Please choose a day and a time.',
  viewing: 'Please say which video, and which part or question of it.',
}

/** Lists what is missing, in the order of the page. */
export function missingIn(draft: Draft): FormError[] {
  const wrong = fieldErrors(createTransmission.body, requestOf(draft))
  if (!isAnybodyChosen(draft)) wrong['audience'] = ''
  if (isViewingOpen(draft)) wrong['viewing'] = ''
  if (draft.leaving && !isHour(draft.leaving)) wrong['leavesAt'] = ''
  return Object.keys(labels)
    .filter((field) => field in wrong)
    .map((field) => ({
      field,
      label: labels[field] ?? field,
      message: pleaseChoose[field] ?? wrong[field] ?? '',
    }))
}

/** Returns whether a video can be sent. One that is being prepared can, because what is sent waits for it. */
export function isSendable({ state }: Video): boolean {
  return state === 'ready' || state === 'processing'
}
