import type { Due, Escalation, Requirement, Validity } from '#contract/assignments/assignments.ts'
import type { Reminders } from '#contract/duty/reminders.ts'

/** When somebody watches, in days after they were asked, and how; null: not yet. */
type Watched = {
  after: number
  /** Only this share of it. */
  part?: number
  /** How each of their rounds through the questions ends, a day after the one before. */
  rounds?: readonly ('passed' | 'failed')[]
}
/** The first person does as the first says, and so on; after the last one it begins anew. */
export type Pace = readonly (Watched | null)[]

export type SampleDuty = {
  name: string
  video: string
  /** Names of groups, or external numbers of people; without either everybody. */
  groups?: readonly string[]
  people?: readonly number[]
  /** Days ago; every instant of a sample lies at hours of work. */
  begun: number
  ended?: number
  requirement?: Requirement
  statement?: string
  /** `day` in days from today. */
  due: Exclude<Due, { kind: 'day' }> | { kind: 'day'; day: number }
  validity?: Validity
  reminders: Reminders
  escalation?: Escalation
  subject: string
  message: string
  pace: Pace
  /** Once they are asked again. */
  paceAgain?: Pace
  /** The next video of a path. */
  next?: { name: string; video: string; pace: Pace }[]
}

/** Some seconds of a video are others now. */
export type SampleReplacement = {
  video: string
  clip: string
  daysAgo: number
  partMs: readonly [number, number]
}

export type SampleDuties = {
  duties: readonly SampleDuty[]
  replacement?: SampleReplacement
  /** Who came later: external number, days ago. */
  newcomers: readonly { external: number; daysAgo: number }[]
}

const at = (after: number, more: Omit<Watched, 'after'> = {}): Watched => ({ after, ...more })

const northwind: SampleDuties = {
  newcomers: [
    { external: 1115, daysAgo: 24 },
    { external: 1116, daysAgo: 3 },
  ],
  replacement: {
    video: 'Evacuation: ways out of hall 4',
    clip: 'evacuation-2',
    daysAgo: 16,
    partMs: [24_000, 36_000],
  },
  duties: [
    {
      name: 'Forklift licence, every year',
      video: 'Forklift licence: the yearly refresher',
      groups: ['Warehouse East', 'Warehouse West'],
      begun: 372,
      requirement: 'passed',
      due: { kind: 'after', days: 14, working: false },
      validity: { months: 12, renewDays: 30, from: 'done' },
      reminders: { daysBefore: [7, 1], onTheDay: false, daysAfter: [3], weekly: true, most: 4 },
      escalation: { afterDays: 3, to: 'groupadmins' },
      subject: 'Your licence for another year',
      message:
        'Hello {{firstName|colleague}},\n\nyour licence is valid for a year. Please watch **{{video}}** and pass its questions by {{due|the end of the month}}.',
      pace: [
        at(0.1),
        at(0.3),
        at(1.1),
        at(12.1),
        at(0.2),
        at(4.2, { rounds: ['failed', 'passed'] }),
        at(0.4),
        at(12.3),
      ],
      paceAgain: [
        at(0.2),
        at(1.1),
        null,
        at(3.1, { rounds: ['failed', 'passed'] }),
        at(2.2),
        at(0.4, { rounds: ['failed'] }),
        at(0.3),
        at(1.2, { part: 0.6 }),
        at(0.1),
        null,
        at(4.1),
      ],
    },
    {
      name: 'Evacuation of hall 4',
      video: 'Evacuation: ways out of hall 4',
      begun: 40,
      due: { kind: 'day', day: -9 },
      reminders: { daysBefore: [3], onTheDay: true, daysAfter: [2], weekly: true, most: 5 },
      escalation: { afterDays: 3, to: 'manager' },
      subject: 'The doors of hall 4 have changed',
      message:
        'Dear colleagues,\n\nthe doors of hall 4 have changed. Everybody has to know the ways out: please watch **{{video}}** by {{due}}.',
      pace: [
        at(0.1),
        at(0.3),
        at(1.2),
        at(2.1),
        at(0.2),
        at(5.3),
        at(0.4),
        at(8.1),
        at(0.3, { part: 0.55 }),
        at(1.1),
        at(0.2),
        null,
        at(3.2),
      ],
      paceAgain: [at(0.2), at(1.1), at(0.4), null, at(2.2), at(0.1), at(6.3), at(0.2), at(3.3), at(0.3)],
    },
    {
      name: 'First week: finding your way',
      video: 'Your first week: finding your way',
      people: [1011, 1017, 1023, 1029, 1035, 1041],
      begun: 21,
      due: { kind: 'after', days: 5, working: true },
      reminders: { daysBefore: [1], onTheDay: false, daysAfter: [1], weekly: true, most: 3 },
      subject: 'Welcome: {{video}}',
      message:
        'Hello {{firstName|colleague}},\n\nwelcome to {{organization}}. Next on your way: **{{video}}**.',
      pace: [at(0.2), at(0.4), at(1.2), at(0.3), at(6.2), null],
      next: [
        {
          name: 'First week: working safely',
          video: 'Your first week: working safely',
          pace: [at(1.2), at(0.3), at(1.1), null, at(2.2)],
        },
        {
          name: 'First week: who helps you',
          video: 'Your first week: who helps you',
          pace: [at(0.2), null, at(1.4, { part: 0.4 })],
        },
      ],
    },
    {
      name: 'Working in the heat, this summer',
      video: 'Working in the heat',
      groups: ['Drivers'],
      begun: 150,
      ended: 75,
      due: { kind: 'after', days: 7, working: false },
      validity: { months: 3, renewDays: 0, from: 'done' },
      reminders: { daysBefore: [1], onTheDay: true, daysAfter: [3], weekly: false, most: 3 },
      subject: 'Before it gets hot: {{video}}',
      message:
        'Hello,\n\nthe hot weeks begin. Please watch **{{video}}** before your next tour.\n\nDrink enough!',
      pace: [at(0.1), at(0.4), at(1.2), at(3.1), at(0.2), null, at(2.3)],
    },
  ],
}

const lindenhof: SampleDuties = {
  newcomers: [],
  duties: [
    {
      name: 'Duty roster: read and understood',
      video: 'The new duty roster',
      groups: ['Nursing'],
      begun: 12,
      due: { kind: 'after', days: 14, working: false },
      statement: 'I have understood how shifts are swapped.',
      reminders: { daysBefore: [5, 2], onTheDay: true, daysAfter: [2], weekly: false, most: 4 },
      escalation: { afterDays: 2, to: 'manager' },
      subject: 'Please watch and confirm: {{video}}',
      message:
        'Hello {{firstName|colleague}},\n\nplease watch **{{video}}** and confirm that you have understood it.',
      pace: [at(0.2), at(0.5), null, at(1.1), at(3.2), at(0.3), at(0.4, { part: 0.3 }), at(2.1)],
    },
  ],
}

const backhaus: SampleDuties = {
  newcomers: [],
  duties: [
    {
      name: 'Allergene, alle zwölf Monate',
      video: 'Allergene richtig benennen',
      begun: 18,
      due: { kind: 'after', days: 14, working: false },
      validity: { months: 12, renewDays: 30, from: 'done' },
      reminders: { daysBefore: [3], onTheDay: true, daysAfter: [2], weekly: true, most: 4 },
      escalation: { afterDays: 2, to: 'manager' },
      subject: 'Bitte ansehen: {{video}}',
      message:
        'Hallo {{firstName}},\n\nunsere Gäste müssen sich auf uns verlassen können. Bitte sieh dir **{{video}}** bis {{due}} an.',
      pace: [at(0.1), at(0.4), at(1.2), at(2.1), at(0.2), at(6.3), null, at(0.3), at(3.1, { part: 0.5 })],
    },
  ],
}

/** In the order of `demoOrganizations`. */
export const sampleDuties: readonly SampleDuties[] = [northwind, lindenhof, backhaus]
