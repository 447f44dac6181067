import type { Due, Requirement, Validity } from '#contract/assignments/assignments.ts'
import type { Reminders } from '#contract/duty/reminders.ts'
import type { Seen } from './seconds.ts'

/** Instants in ms; days as ISO texts in the zone of the rule. */
export type Rule = {
  name: string
  isForGroup: boolean
  id: string
  zone: string
  videoId: string
  requirement: Requirement
  /** A sentence to confirm once the rest is done. */
  statement: string | null
  due: Due
  validity: Validity
  reminders: Reminders
  state: 'active' | 'paused' | 'ended'
  /** Its audience. */
  has: (userId: string) => boolean
  waitsFor: Rule | null
  /** Its day is that of a message; null: it has an audience of its own. */
  message: Message | null
}

export type Message = {
  id: string
  /** Whoever comes into its audience owes it as well. */
  grows: boolean
  /** Who stands in its ledger, also whoever was left out of it. */
  listed: ReadonlySet<string>
  endedAt: number | null
}

export type OfMessage = Rule & { message: Message }
export const isOfMessage = (rule: Rule): rule is OfMessage => rule.message !== null

/** A part of a version of a video that somebody saw, from the instant `at` on. */
export type View = { userId: string; videoId: string; version: number; at: number; from: number; to: number }
export type Attempt = { userId: string; videoId: string; at: number; passed: boolean }
export type Mail = { userId: string; assignmentId: string; cycle: number; kind: string; slot: string }

export type Duty = {
  rule: Rule
  userId: string
  cycle: number
  state: 'open' | 'done' | 'waived' | 'ended'
  left: boolean
  exempted: boolean
  since: number
  countsFrom: number
  /** Since when what was answered counts; whoever owes only what has changed has passed before. */
  answersFrom: number
  dueAt: number | null
  dueIsOwn: boolean
  confirmedAt: number | null
  /** The version with which it was done. */
  doneIn: number
  /** Begun because of this version, by whom it was done already; and valid no longer than that was. */
  follows: number | null
  validAtMost: number | null
  validUntil: number | null
  /** The day from which the months of its validity count, and how many times they do. */
  counted: { day: Temporal.PlainDate; times: number }
  waivedUntil: number | null
  sent: number
  lastMail: number
  next: string | null
  seen: Seen
}
