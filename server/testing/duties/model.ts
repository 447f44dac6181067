import { isDeepStrictEqual } from 'node:util'
import type { ObligationState } from '#contract/assignments/assignments.ts'
import { dayIn, dueOf, endOf, mailDay, nextReminder } from './days.ts'
import {
  isOfMessage,
  type Attempt,
  type Duty,
  type Mail,
  type OfMessage,
  type Rule,
  type View,
} from './duty.ts'
import { asksFor, everSeen, seenOf, stretchesWithout, type Version } from './seconds.ts'

export type Model = ReturnType<typeof openModel>

/**
 * What `docs` say about assignments, worked out the long way round: from everything that ever happened, person by person, day by day,
 * without SQL and without anything that the product keeps.
 */
export function openModel() {
  const rules: Rule[] = []
  const duties: Duty[] = []
  const views: View[] = []
  const attempts: Attempt[] = []
  const mails: Mail[] = []
  /** Every message that was planned, also where nobody got it. */
  const noted = new Set<string>()
  const onTheirWay: { about: Duty[]; notes: Mail[] }[] = []
  /** Who is switched off: no mail reaches them. */
  const unreachable = new Set<string>()
  /** Videos whose questions have to be passed before they are completed. */
  const asking = new Set<string>()
  let together = 0
  const videos = new Map<string, Version[]>()

  const versionsOf = ({ videoId }: Pick<Rule, 'videoId'>) => videos.get(videoId) ?? []
  const present = (rule: Rule, userId: string) =>
    duties.findLast((duty) => duty.rule === rule && duty.userId === userId)
  const owed = ({ state }: Duty) => state === 'open' || state === 'waived'

  function add(
    rule: Rule,
    userId: string,
    facts: Pick<Duty, 'cycle' | 'since' | 'dueAt'> & Partial<Duty>,
  ): Duty {
    const duty: Duty = {
      rule,
      userId,
      state: 'open',
      left: false,
      exempted: false,
      countsFrom: facts.since,
      answersFrom: facts.countsFrom ?? facts.since,
      dueIsOwn: false,
      confirmedAt: null,
      doneIn: 0,
      follows: null,
      validAtMost: null,
      validUntil: null,
      counted: { day: dayIn(facts.since, rule.zone), times: 0 },
      waivedUntil: null,
      sent: 0,
      lastMail: -Infinity,
      next: mailDay(facts.since, rule.zone).toString(),
      seen: { seconds: new Set(), owed: new Set(), coveredAt: null },
      ...facts,
    }
    duties.push(duty)
    return duty
  }

  const isOwn = ({ rule, userId }: Duty, one: View | Attempt) =>
    one.userId === userId && one.videoId === rule.videoId
  const answersOf = (duty: Duty) => attempts.filter((one) => isOwn(duty, one) && one.at >= duty.answersFrom)

  /** Completed is what the video itself asks for, where a message asks to watch it. */
  const isToPass = ({ requirement, message, videoId }: Rule) =>
    requirement === 'passed' || (message !== null && asking.has(videoId))

  /** When all but the sentence was done; null: something is left. */
  function restAt(duty: Duty): number | null {
    const { coveredAt } = duty.seen
    if (coveredAt === null || !isToPass(duty.rule)) return coveredAt
    const passed = answersOf(duty).find((one) => one.passed)
    return passed ? Math.max(coveredAt, passed.at) : null
  }

  /** What was seen since it counts, and whether that was the last of what is owed. */
  function judge(duty: Duty): void {
    if (!owed(duty) || duty.rule.state === 'ended') return
    const { rule } = duty
    const own = views.filter((one) => isOwn(duty, one) && one.at >= duty.countsFrom)
    duty.seen = rule.message ? everSeen(versionsOf(rule), own) : seenOf(versionsOf(rule), own, duty)
    finish(duty)
  }

  function finish(duty: Duty): void {
    const { rule, confirmedAt, validAtMost } = duty
    const restDone = restAt(duty)
    if (restDone === null || (rule.statement !== null && confirmedAt === null)) return
    const doneAt = Math.max(restDone, confirmedAt ?? 0)
    const { validity, zone } = rule
    duty.state = 'done'
    duty.doneIn = versionsOf(rule).length
    if (validity === null) return
    const last = duties.find(
      (one) => one.rule === rule && one.userId === duty.userId && one.cycle === duty.cycle - 1,
    )
    const isOn = validity.from === 'last_end' && last?.validUntil && doneAt <= last.validUntil
    const { day, times } = isOn ? last.counted : { day: dayIn(doneAt, zone), times: 0 }
    const ends = endOf(day.add({ months: validity.months * (times + 1) }), zone)
    const isCut = validAtMost !== null && validAtMost < ends
    duty.validUntil = isCut ? validAtMost : ends
    duty.counted = { day, times: isCut ? times : times + 1 }
  }

  /** Of its audience, whoever has done what it waits for, or was excused from that for good; whoever has begun before that ended goes on. */
  function obliges(rule: Rule, userId: string): boolean {
    const { waitsFor } = rule
    if (waitsFor === null || !rule.has(userId)) return rule.has(userId)
    const own = duties.filter((duty) => duty.userId === userId)
    const isBehind = ({ state, exempted, waivedUntil }: Duty) =>
      state === 'done' || exempted || (state === 'waived' && waivedUntil === null)
    if (own.some((duty) => duty.rule === waitsFor && isBehind(duty))) return true
    return waitsFor.state === 'ended' && own.some((duty) => duty.rule === rule && duty.state !== 'ended')
  }

  /** A message when it is owed again, unless all reminders were sent. */
  function backInPlan(duty: Duty, now: number): void {
    duty.next = duty.sent <= duty.rule.reminders.most ? mailDay(now, duty.rule.zone).toString() : null
  }

  /** The next reminder after today, or the first message where there was none. */
  function backOrOn(duty: Duty, now: number): void {
    const today = mailDay(now, duty.rule.zone)
    duty.next = duty.sent > 0 ? nextReminder(duty, today) : (duty.next ?? today.toString())
  }

  function comeAndGo(rule: Rule, people: readonly string[], now: number): void {
    for (const userId of people) {
      const duty = present(rule, userId)
      if (!duty) {
        if (obliges(rule, userId)) add(rule, userId, { cycle: 1, since: now, dueAt: dueOf(rule, now) })
      } else if (owed(duty) && !obliges(rule, userId)) {
        Object.assign(duty, { state: 'ended', left: true, waivedUntil: null, next: null })
      } else if (duty.left && obliges(rule, userId)) {
        const next = mailDay(now, rule.zone).toString()
        const anew = { state: 'open', left: false, since: now, dueIsOwn: false, sent: 0, next } as const
        Object.assign(duty, anew, { dueAt: dueOf(rule, now) })
      }
    }
  }

  /** Of a message nobody leaves; whoever has had it is reminded by its plan, and whoever may join it is written to first. */
  function goOn(rule: OfMessage, people: readonly string[], now: number): void {
    const { grows, listed } = rule.message
    const since = { cycle: 1, since: now, countsFrom: -Infinity, dueAt: dueOf(rule, now) }
    if (grows)
      for (const userId of people)
        if (rule.has(userId) && !listed.has(userId) && !present(rule, userId)) add(rule, userId, since)
    for (const duty of duties) {
      if (duty.rule !== rule || !owed(duty) || duty.sent > 0 || !listed.has(duty.userId)) continue
      Object.assign(duty, { sent: 1, lastMail: duty.since })
      if (duty.state === 'open') duty.next = nextReminder(duty, mailDay(now, rule.zone))
    }
  }

  /** Whoever is done and valid, once their author wants that of a version since. */
  function follow(rule: Rule, people: readonly string[], now: number): void {
    const versions = versionsOf(rule)
    for (const userId of people.filter((id) => obliges(rule, id))) {
      const duty = present(rule, userId)
      if (duty?.state !== 'done' || (duty.validUntil !== null && duty.validUntil <= now)) continue
      const index = versions.findIndex((version, at) => {
        const before = versions[at - 1]
        if (at < duty.doneIn || !before || !version.change || version.change.matters === 'nothing')
          return false
        return version.change.alsoDone && asksFor(version, before)
      })
      const version = versions[index]
      if (!version) continue
      const due = dueOf(rule, now)
      add(rule, userId, {
        cycle: duty.cycle + 1,
        since: now,
        countsFrom: version.at,
        answersFrom: duty.answersFrom,
        dueAt: due !== null && due > now ? due : null,
        follows: index + 1,
        validAtMost: duty.validUntil,
      })
    }
  }

  function renew(rule: Rule, people: readonly string[], now: number): void {
    const { validity, zone } = rule
    if (validity === null) return
    for (const userId of people.filter((id) => obliges(rule, id))) {
      const duty = present(rule, userId)
      if (duty?.state !== 'done' || duty.validUntil === null) continue
      const begins = Temporal.Instant.fromEpochMilliseconds(duty.validUntil)
        .toZonedDateTimeISO(zone)
        .subtract({ days: validity.renewDays })
      if (begins.epochMilliseconds <= now)
        add(rule, userId, { cycle: duty.cycle + 1, since: now, dueAt: duty.validUntil })
    }
  }

  function plan(people: readonly string[], now: number): void {
    for (const rule of rules.filter(({ state }) => state === 'active')) {
      if (isOfMessage(rule)) goOn(rule, people, now)
      else {
        comeAndGo(rule, people, now)
        follow(rule, people, now)
        renew(rule, people, now)
      }
      for (const duty of duties.filter((one) => one.rule === rule && one.state === 'waived'))
        if (duty.waivedUntil !== null && duty.waivedUntil <= now) {
          Object.assign(duty, { state: 'open', waivedUntil: null })
          backInPlan(duty, now)
        }
    }
    for (const duty of duties) judge(duty)
  }

  const isAsked = ({ state, rule }: Duty) => state === 'open' && rule.state === 'active'
  /** What else its person owes of the same video. */
  const alike = (duty: Duty) =>
    duties.filter(
      (one) =>
        one.rule !== duty.rule &&
        one.userId === duty.userId &&
        one.rule.videoId === duty.rule.videoId &&
        isAsked(one),
    )

  /** The next mail of whatever is due earlier: that plans the mails for all of it. */
  function leadDay(duty: Duty): string | null {
    const rank = (one: Duty) => one.dueAt ?? Infinity
    const isEarlier = (one: Duty) =>
      rank(one) === rank(duty) ? duties.indexOf(one) < duties.indexOf(duty) : rank(one) < rank(duty)
    const days = alike(duty).flatMap((one) => (isEarlier(one) && one.next !== null ? [one.next] : []))
    return days.sort()[0] ?? null
  }

  const kindOf = (duty: Duty) => (duty.sent > 0 ? 'reminder' : duty.cycle > 1 ? 'again' : 'first')

  /** What is planned now. A message that was sent on its day already is none, and counts as sent. */
  function mail(now: number): void {
    for (const duty of duties) {
      const { rule, next } = duty
      const today = mailDay(now, rule.zone)
      if (!isAsked(duty) || next === null || next > today.toString()) continue
      const lead = leadDay(duty)
      if (lead !== null && lead <= today.toString()) continue
      if (lead !== null && duty.sent > 0) {
        duty.next = lead
        continue
      }
      const isNew = !noted.has(textOf(noteOf(duty, kindOf(duty), next)))
      const named = isNew ? alike(duty) : []
      if (isNew)
        onTheirWay.push({
          about: [duty, ...named],
          notes: [duty, ...named].map((one) => noteOf(one, kindOf(one), next)).filter(note),
        })
      together += named.length
      for (const one of [duty, ...named]) one.lastMail = now
      duty.sent += 1
      duty.next = nextReminder(duty, today)
      for (const one of named) {
        one.sent = Math.max(1, one.sent)
        one.next = nextReminder(one, today)
      }
    }
  }

  /** Nobody gets one who owes nothing of what it names any more, or is switched off. */
  function deliver(): void {
    for (const { about, notes } of onTheirWay.splice(0))
      if (about.some((duty) => isAsked(duty) && !unreachable.has(duty.userId))) mails.push(...notes)
  }

  const noteOf = ({ rule, userId, cycle }: Duty, kind: string, slot: string): Mail => ({
    userId,
    assignmentId: rule.id,
    cycle,
    kind,
    slot,
  })

  const textOf = (one: Mail) => Object.values(one).join(' ')
  /** False: it was planned before. */
  function note(one: Mail): boolean {
    const isNew = !noted.has(textOf(one))
    noted.add(textOf(one))
    return isNew
  }

  const missingMs = (duty: Duty) =>
    ((versionsOf(duty.rule).at(-1)?.seconds ?? 0) - duty.seen.seconds.size) * 1_000

  function stateOf(duty: Duty, now: number): { state: ObligationState; missingMs: number | null } {
    const { state } = duty
    const missing = owed(duty) ? missingMs(duty) : null
    if (state === 'done' && duty.validUntil !== null && duty.validUntil <= now)
      return { state: 'expired', missingMs: missing }
    if (state === 'ended' || state === 'done') return { state, missingMs: missing }
    if (state === 'waived' && (duty.waivedUntil === null || duty.waivedUntil > now))
      return { state, missingMs: missing }
    return { state: openState(duty, now), missingMs: missing }
  }

  function openState(duty: Duty, now: number): ObligationState {
    const { rule, dueAt, seen } = duty
    if (dueAt !== null && dueAt < now) return 'overdue'
    if (rule.statement !== null && restAt(duty) !== null && duty.confirmedAt === null) return 'unconfirmed'
    const answers = answersOf(duty)
    if (isToPass(rule) && answers.length > 0 && !answers.some(({ passed }) => passed)) return 'failed'
    if (seen.coveredAt !== null) return 'watched'
    const hasBegun = rule.message ? views.some((one) => isOwn(duty, one)) : seen.seconds.size > 0
    return hasBegun ? 'started' : 'assigned'
  }

  function ofMessages() {
    const own = new Map(rules.flatMap((rule) => (rule.message ? [[rule.id, rule.message] as const] : [])))
    const theirs = duties.filter(({ rule }) => own.has(rule.id))
    const isLate = ({ assignmentId, kind }: Mail) => own.has(assignmentId) && kind === 'reminder'
    return {
      doneBefore: theirs.filter(({ state, sent }) => state === 'done' && sent === 0).length,
      reminders: mails.filter(isLate).length,
      joined: theirs.filter(({ rule, userId }) => !rule.message?.listed.has(userId)).length,
    }
  }

  return {
    rules,
    mails,
    unreachable,
    asking,
    /** So that nobody takes for proven what did not happen. */
    happened: () => ({
      confirmed: duties.filter(({ confirmedAt }) => confirmedAt !== null).length,
      followed: duties.filter(({ follows }) => follows !== null).length,
      followedAndDone: duties.filter(({ follows, state }) => follows !== null && state === 'done').length,
      waited: duties.filter(({ rule }) => rule.waitsFor !== null).length,
      together,
      replaced: [...videos.values()].flat().length - videos.size,
      messages: rules.filter(({ message }) => message !== null).length,
      /** Of a message: whoever had done it before, those whom it reminded, and whoever joined it. */
      ...ofMessages(),
    }),
    present,
    plan,
    mail,
    deliver,
    /** A report that is counted: of whoever was obliged anew, what they saw before is looked at only with the next plan. */
    see(view: View) {
      views.push(view)
      for (const duty of duties)
        if (duty.userId === view.userId && duty.rule.videoId === view.videoId) judge(duty)
    },
    answer(attempt: Attempt) {
      attempts.push(attempt)
      for (const duty of duties)
        if (
          duty.userId === attempt.userId &&
          duty.rule.videoId === attempt.videoId &&
          duty.seen.coveredAt !== null
        )
          judge(duty)
    },
    stateOf,
    versionsOf,
    /** The first version of a video, or one that takes the place of what plays. */
    play(videoId: string, version: Version) {
      const versions = versionsOf({ videoId })
      videos.set(videoId, [...versions, version])
      for (const duty of duties) if (duty.rule.videoId === videoId) judge(duty)
    },
    /** The stretches that are still to be seen, of whatever is owed. */
    missingIn: (duty: Duty) =>
      owed(duty) ? stretchesWithout(duty.seen.seconds, versionsOf(duty.rule).at(-1)?.seconds ?? 0) : null,
    /** The seconds that an open duty of theirs still lacks. */
    missingOf(userId: string, videoId: string): number[] {
      const duty = duties.findLast(
        (one) => one.userId === userId && one.rule.videoId === videoId && one.state === 'open',
      )
      const { seconds = 0 } = versionsOf({ videoId }).at(-1) ?? {}
      return duty ? [...Array(seconds).keys()].filter((second) => !duty.seen.seconds.has(second)) : []
    },
    /** Some of it is left, not all. */
    hasBegun(userId: string, videoId: string) {
      const isIt = ({ rule, seen, ...one }: Duty) =>
        one.userId === userId && rule.videoId === videoId && one.state === 'open' && seen.seconds.size > 0
      return duties.some((duty) => isIt(duty) && missingMs(duty) > 0)
    },
    isUnconfirmed: (duty: Duty) => owed(duty) && restAt(duty) !== null && duty.confirmedAt === null,
    confirm(duty: Duty, at: number) {
      duty.confirmedAt = at
      finish(duty)
    },
    /** Whoever has passed is asked again where a duty began since. */
    mayAnswer(userId: string, videoId: string) {
      const last = attempts.findLast((one) => one.userId === userId && one.videoId === videoId)
      const isOwed = ({ rule, ...duty }: Duty) =>
        duty.userId === userId &&
        rule.videoId === videoId &&
        rule.requirement === 'passed' &&
        duty.state === 'open' &&
        duty.answersFrom > (last?.at ?? 0)
      return !last?.passed || duties.some(isOwed)
    },
    waive(duty: Duty, until: string | null) {
      const end = until === null ? null : endOf(Temporal.PlainDate.from(until), duty.rule.zone)
      Object.assign(duty, { state: 'waived', waivedUntil: end })
    },
    unwaive(duty: Duty, now: number) {
      Object.assign(duty, { state: 'open', waivedUntil: null })
      backInPlan(duty, now)
    },
    extend(duty: Duty, day: string, now: number) {
      duty.dueAt = endOf(Temporal.PlainDate.from(day), duty.rule.zone)
      duty.dueIsOwn = true
      if (duty.state === 'open' && duty.sent > 0) duty.next = nextReminder(duty, mailDay(now, duty.rule.zone))
    },
    exempt: (duty: Duty) =>
      Object.assign(duty, { state: 'ended', exempted: true, waivedUntil: null, next: null }),
    oblige(duty: Duty, now: number) {
      Object.assign(duty, { state: 'open', exempted: false })
      backInPlan(duty, now)
    },
    remind(duty: Duty, now: number) {
      const notes = [duty, ...alike(duty)].map((one) =>
        noteOf(one, 'manual', mailDay(now, duty.rule.zone).toString()),
      )
      for (const one of [duty, ...alike(duty)]) one.lastMail = now
      const written = notes.filter(note)
      if (!unreachable.has(duty.userId)) mails.push(...written)
    },
    /** Another due rule and plan, for whoever has no day of their own. */
    edit(rule: Rule, change: Pick<Rule, 'due' | 'reminders'>, now: number) {
      if (isDeepStrictEqual(change, { due: rule.due, reminders: rule.reminders })) return
      Object.assign(rule, change)
      for (const duty of duties.filter((one) => one.rule === rule && owed(one))) {
        if (!duty.dueIsOwn && duty.cycle === 1) duty.dueAt = dueOf(rule, duty.since)
        if (duty.state === 'open' && duty.sent > 0) duty.next = nextReminder(duty, mailDay(now, rule.zone))
      }
    },
    /** A message with a day that has left for these people; whoever has completed its video is done with it. */
    send(rule: Rule, recipients: readonly string[], now: number) {
      rules.push(rule)
      for (const userId of recipients) {
        const facts = { cycle: 1, since: now, countsFrom: -Infinity, dueAt: dueOf(rule, now), next: null }
        const duty = add(rule, userId, facts)
        judge(duty)
        mails.push(noteOf(duty, 'message', ''))
      }
    },
    /** Of a message; one that had ended is owed again, but for whoever was exempted. */
    moveDay(rule: Rule, day: string, now: number) {
      Object.assign(rule, {
        due: { kind: 'day', day },
        state: rule.state === 'ended' ? 'active' : rule.state,
      })
      for (const duty of duties.filter((one) => one.rule === rule && !one.exempted)) {
        if (!duty.dueIsOwn) duty.dueAt = dueOf(rule, now)
        if (duty.state === 'ended') {
          duty.state = 'open'
          judge(duty)
        }
        if (duty.state === 'open') backOrOn(duty, now)
      }
    },
    /** Of a message, whose day is taken away: then nobody has a day of it, whoever was done neither. */
    end(rule: Rule) {
      rule.state = 'ended'
      for (const duty of duties.filter((one) => one.rule === rule))
        Object.assign(duty, { state: 'ended', waivedUntil: null, next: null })
    },
  }
}
