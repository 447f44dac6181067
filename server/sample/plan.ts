export type SampleVideo = {
  title: string
  description: string
  project: string
  /** Its file in `clips`, a minute or two long. */
  clip: string
}
export type SampleOrganization = {
  name: string
  domain: string
  accentColor: string | null
  timeZone: string
  people: number
  groups: string[]
  videos: SampleVideo[]
}

/** Three organizations of different kinds and sizes; 200 people in total, accounts included, and twelve videos. */
export const demoOrganizations: readonly SampleOrganization[] = [
  {
    name: 'Northwind Logistics',
    domain: 'northwind.demo.test',
    accentColor: '#1d4f7c',
    timeZone: 'Europe/Berlin',
    people: 118,
    groups: ['Warehouse East', 'Warehouse West', 'Drivers', 'Office', 'New starters', 'Shift leads'],
    videos: [
      {
        title: 'Forklift safety: the daily check',
        description: 'What to look at before the first lift of the day.',
        project: 'Safety',
        clip: 'gear',
      },
      {
        title: 'Fire drill: ways out and meeting points',
        description: 'Where to go, whom to tell, what to leave behind.',
        project: 'Safety',
        clip: 'warning',
      },
      {
        title: 'Lifting without hurting your back',
        description: 'Three movements that everybody can practise.',
        project: 'Safety',
        clip: 'stairs',
      },
      {
        title: 'Welcome to Northwind',
        description: 'Who we are and how your first week goes.',
        project: 'Onboarding',
        clip: 'orbits',
      },
      {
        title: 'Handling personal data',
        description: 'What the law asks of each of us.',
        project: 'Compliance',
        clip: 'tiles',
      },
    ],
  },
  {
    name: 'Lindenhof Clinic',
    domain: 'lindenhof.demo.test',
    accentColor: '#8a1f4d',
    timeZone: 'Europe/Vienna',
    people: 52,
    groups: ['Nursing', 'Surgery', 'Front desk', 'Kitchen'],
    videos: [
      {
        title: 'Hand hygiene in five moments',
        description: 'When, how long, and with what.',
        project: 'Hygiene',
        clip: 'checklist',
      },
      {
        title: 'Reporting a near miss',
        description: 'Why every report helps and nobody is blamed.',
        project: 'Quality',
        clip: 'chart',
      },
      {
        title: 'The new duty roster',
        description: 'How to swap a shift from September on.',
        project: 'News',
        clip: 'slides',
      },
      {
        title: 'Phishing: how to tell',
        description: 'Five signs, and whom to call.',
        project: 'IT',
        clip: 'network',
      },
    ],
  },
  {
    name: 'Alto Retail',
    domain: 'alto.demo.test',
    accentColor: null,
    timeZone: 'Europe/Madrid',
    people: 28,
    groups: ['Stores', 'Head office'],
    videos: [
      {
        title: 'Autumn window displays',
        description: 'The three layouts of this season.',
        project: 'Stores',
        clip: 'waves',
      },
      {
        title: 'Till closing, step by step',
        description: 'The evening routine in four steps.',
        project: 'Stores',
        clip: 'bars',
      },
      {
        title: 'A message from the founders',
        description: 'The year so far, and thank you.',
        project: 'News',
        clip: 'pulse',
      },
    ],
  },
]

const firstNames =
  'Ada Ahmed Aisha Alba Amir Ana Andrei Anja Anton Astrid Ben Bianca Bruno Carla Carlos Chiara Clara Daniel David Diana Elena Elias Elif Emil Emma Erik Esther Eva Fatima Felix Finn Frida Gabriel Greta Hannah Hassan Helena Hugo Ida Ines Irina Isaac Ivan Jakob Jana Javier Jonas Julia Karim Katya Klara Lara Laszlo Lea Leon Lina Luca Lucia Magda Malik Marco Maria Marta Mateo Maya Milan Mina Mira Nadia Nils Nina Noah Nora Olga Oscar Paula Pavel Petra Pia Rafael Rosa Samira Samuel Sara Sofia Stefan Tara Theo Tomas Vera Viktor Wanda Yara Yusuf Zoe'.split(
    ' ',
  )
const lastNames =
  'Abbott Adler Almeida Andersen Baker Bauer Becker Berg Bianchi Brandt Castro Costa Dahl Demir Diaz Dubois Eriksen Fischer Fontaine Garcia Gruber Haas Hansen Hoffmann Horvat Ibrahim Jansen Kaya Keller Klein Kovacs Kruger Larsen Lehmann Lopez Lund Maier Marino Martin Meyer Moreau Moretti Nagy Navarro Nilsen Novak Olsen Ortiz Papp Peters Popescu Ramos Reid Ricci Rossi Sanders Santos Schmidt Schulz Silva Simon Sorensen Steiner Toth Torres Varga Vogel Wagner Weber Weiss Winkler Wolf Yilmaz Zeller Zimmer'.split(
    ' ',
  )

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

/** The n-th person: every pair of names comes once before any repeats. */
export function nameOf(n: number): string {
  const first = firstNames[n % firstNames.length] ?? ''
  const last = lastNames[(n * 7 + Math.floor(n / firstNames.length)) % lastNames.length] ?? ''
  return `${first} ${last}`
}
