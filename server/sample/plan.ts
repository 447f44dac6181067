import type { Language } from '#contract/platform/text/languages.ts'

export type SampleVideo = {
  title: string
  description: string
  project: string
  /** Its file in `clips`, a minute or two long. */
  clip: string
  /** A line for each. */
  chapters?: string
  /** Languages of its captions, whose files lie beside the clip. */
  captions?: readonly string[]
  tags: readonly string[]
  /** An assignment sends it, and no transmission of its own. */
  isAssigned?: true
}
export type SampleOrganization = {
  name: string
  domain: string
  accentColor: string | null
  timeZone: string
  /** In which its people are written to, and have their names. */
  language: Language
  /** For how long it has been using the product. */
  sinceDays: number
  people: number
  groups: string[]
  videos: SampleVideo[]
}

/** Three organizations of different kinds and sizes; 200 people in total, accounts included, and nineteen videos. */
export const demoOrganizations: readonly SampleOrganization[] = [
  {
    name: 'Northwind Logistics',
    domain: 'northwind.demo.test',
    accentColor: '#1d4f7c',
    timeZone: 'Europe/Berlin',
    language: 'en',
    sinceDays: 400,
    people: 120,
    groups: ['Warehouse East', 'Warehouse West', 'Drivers', 'Office', 'New starters', 'Shift leads'],
    videos: [
      {
        title: 'Forklift safety: the daily check',
        description:
          'What to look at before the first lift of the day.\nThe form for the log book: https://northwind.demo.test/forms/forklift-check\nQuestions: mailto:safety@northwind.demo.test',
        project: 'Safety',
        clip: 'gear',
        tags: ['Forklift', 'Daily check', 'Shift leads'],
        captions: ['en', 'de'],
        chapters:
          '0:00 Before the key is turned\n0:25 Forks and chains\n0:55 Tyres and brakes\n1:30 Horn, lights, belt\n2:05 What to write down',
      },
      {
        title: 'Fire drill: ways out and meeting points',
        description: 'Where to go, whom to tell, what to leave behind.',
        project: 'Safety',
        clip: 'warning',
        tags: ['Fire safety', 'Everybody'],
        chapters:
          '0:00 When the alarm sounds\n0:18 Ways out\n0:45 Meeting points\n1:05 Who counts the people',
      },
      {
        title: 'Lifting without hurting your back',
        description: 'Three movements that everybody can practise.',
        project: 'Safety',
        clip: 'stairs',
        tags: ['Health', 'Everybody'],
      },
      {
        title: 'Welcome to Northwind',
        description: 'Who we are and how your first week goes.',
        project: 'Onboarding',
        clip: 'orbits',
        tags: ['New starters'],
      },
      {
        title: 'Handling personal data',
        description: 'What the law asks of each of us.',
        project: 'Compliance',
        clip: 'tiles',
        tags: ['Data protection', 'Everybody'],
      },
      {
        title: 'Forklift licence: the yearly refresher',
        description: 'For everybody who drives one, once a year.',
        project: 'Safety',
        clip: 'licence',
        tags: ['Forklift', 'Yearly'],
        isAssigned: true,
      },
      {
        title: 'Evacuation: ways out of hall 4',
        description: 'Which doors, in which order, and where you meet.',
        project: 'Safety',
        clip: 'evacuation',
        tags: ['Fire safety', 'Hall 4'],
        chapters:
          '0:00 Where you are\n0:12 The doors to the east\n0:28 The doors to the south\n0:44 Where you meet',
        isAssigned: true,
      },
      {
        title: 'Working in the heat',
        description: 'Water, shade, and when to stop.',
        project: 'Safety',
        clip: 'heat',
        tags: ['Health', 'Summer'],
        isAssigned: true,
      },
      {
        title: 'Your first week: finding your way',
        description: 'Halls, lockers, canteen.',
        project: 'Onboarding',
        clip: 'week-1',
        tags: ['New starters'],
        isAssigned: true,
      },
      {
        title: 'Your first week: working safely',
        description: 'What you wear, and where you do not walk.',
        project: 'Onboarding',
        clip: 'week-2',
        tags: ['New starters', 'Health'],
        isAssigned: true,
      },
      {
        title: 'Your first week: who helps you',
        description: 'Whom to ask about shifts, pay and everything else.',
        project: 'Onboarding',
        clip: 'week-3',
        tags: ['New starters'],
        isAssigned: true,
      },
    ],
  },
  {
    name: 'Lindenhof Clinic',
    domain: 'lindenhof.demo.test',
    accentColor: '#8a1f4d',
    timeZone: 'Europe/Vienna',
    language: 'en',
    sinceDays: 190,
    people: 52,
    groups: ['Nursing', 'Surgery', 'Front desk', 'Kitchen'],
    videos: [
      {
        title: 'Hand hygiene in five moments',
        description: 'When, how long, and with what.',
        project: 'Hygiene',
        clip: 'checklist',
        tags: ['Hygiene', 'Everybody'],
        chapters:
          '0:00 Before touching a patient\n0:20 Before a clean task\n0:40 After contact\n1:00 How long, and with what',
      },
      {
        title: 'Reporting a near miss',
        description: 'Why every report helps and nobody is blamed.',
        project: 'Quality',
        clip: 'chart',
        tags: ['Quality', 'Everybody'],
      },
      {
        title: 'The new duty roster',
        description: 'How to swap a shift from September on.',
        project: 'News',
        clip: 'slides',
        tags: ['News'],
      },
      {
        title: 'Phishing: how to tell',
        description: 'Five signs, and whom to call.',
        project: 'IT',
        clip: 'network',
        tags: ['IT security', 'Everybody'],
      },
    ],
  },
  {
    name: 'Backhaus Sonntag',
    domain: 'backhaus-sonntag.demo.test',
    accentColor: '#8a4b12',
    timeZone: 'Europe/Berlin',
    language: 'de',
    sinceDays: 190,
    people: 28,
    groups: ['Filialen', 'Backstube'],
    videos: [
      {
        title: 'Das Schaufenster im Herbst',
        description: 'Die drei Anordnungen dieser Jahreszeit.',
        project: 'Filialen',
        clip: 'fenster',
        tags: ['Herbst'],
      },
      {
        title: 'Der Kassenabschluss am Abend',
        description: 'In vier Schritten zum Feierabend.',
        project: 'Filialen',
        clip: 'kasse',
        tags: ['Kasse', 'Neue im Team'],
        captions: ['de', 'en'],
        chapters: '0:00 Kasse zählen\n0:16 Belege prüfen\n0:34 Tresor\n0:48 Feierabend',
      },
      {
        title: 'Ein Wort der Familie',
        description: 'Wie das Jahr bisher war, und ein Dankeschön.',
        project: 'Neuigkeiten',
        clip: 'gruss',
        tags: ['Familie'],
      },
      {
        title: 'Allergene richtig benennen',
        description: 'Was wir unseren Gästen sagen müssen.',
        project: 'Filialen',
        clip: 'allergene',
        tags: ['Allergene', 'Pflicht'],
        isAssigned: true,
      },
    ],
  },
]

/** Random numbers in [0, 1) that are the same on every run, so that the demo is the same everywhere. */
export function dice(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
