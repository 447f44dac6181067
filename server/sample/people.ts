import type { Language } from '#contract/platform/text/languages.ts'
import { arrayOf, rows, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { dice } from './plan.ts'
import { Id } from '../platform/db/rows.ts'

type Crowd = {
  organizationId: string
  domain: string
  language: Language
  sinceDays: number
  count: number
  groups: readonly string[]
  firstNumber: number
}

type SamplePerson = { id: string; groups: string[] }

/** The first external ID; the n-th person has this and n. */
export const firstExternal = 1001

const firstNames = {
  en: 'Ada Ahmed Aisha Alba Amir Ana Andrei Anja Anton Astrid Ben Bianca Bruno Carla Carlos Chiara Clara Daniel David Diana Elena Elias Elif Emil Emma Erik Esther Eva Fatima Felix Finn Frida Gabriel Greta Hannah Hassan Helena Hugo Ida Ines Irina Isaac Ivan Jakob Jana Javier Jonas Julia Karim Katya Klara Lara Laszlo Lea Leon Lina Luca Lucia Magda Malik Marco Maria Marta Mateo Maya Milan Mina Mira Nadia Nils Nina Noah Nora Olga Oscar Paula Pavel Petra Pia Rafael Rosa Samira Samuel Sara Sofia Stefan Tara Theo Tomas Vera Viktor Wanda Yara Yusuf Zoe'.split(
    ' ',
  ),
  de: 'Anneliese Björn Carsten Dörte Egon Franziska Günter Heike Ingo Jörg Käthe Lothar Margarete Norbert Oskar Petra Rüdiger Sabine Thorsten Ursula Volker Waltraud Antje Bärbel Christoph Dietmar Elfriede Friederike'.split(
    ' ',
  ),
} satisfies Record<Language, string[]>
const lastNames = {
  en: 'Abbott Adler Almeida Andersen Baker Bauer Becker Berg Bianchi Brandt Castro Costa Dahl Demir Diaz Dubois Eriksen Fischer Fontaine Garcia Gruber Haas Hansen Hoffmann Horvat Ibrahim Jansen Kaya Keller Klein Kovacs Kruger Larsen Lehmann Lopez Lund Maier Marino Martin Meyer Moreau Moretti Nagy Navarro Nilsen Novak Olsen Ortiz Papp Peters Popescu Ramos Reid Ricci Rossi Sanders Santos Schmidt Schulz Silva Simon Sorensen Steiner Toth Torres Varga Vogel Wagner Weber Weiss Winkler Wolf Yilmaz Zeller Zimmer'.split(
    ' ',
  ),
  de: 'Ackermann Böhm Conrad Dörr Eichhorn Frühauf Großmann Höfer Jäger Köhler Lindemann Möller Niemeyer Ostermann Pfeiffer Rößler Schäfer Tischler Uhlig Vogt Wäldner Zöllner'.split(
    ' ',
  ),
} satisfies Record<Language, string[]>

/** The n-th person: every pair of names comes once before any repeats. */
function nameOf(language: Language, n: number): string {
  const [first, last] = [firstNames[language], lastNames[language]]
  return `${first[n % first.length] ?? ''} ${last[(n * 7 + Math.floor(n / first.length)) % last.length] ?? ''}`
}

/** Adds people and groups; everybody is in the group of their work, whose first member leads it, some in a second one. */
export async function addPeople(tx: Tx, crowd: Crowd): Promise<SamplePerson[]> {
  const { organizationId, domain, language, groups } = crowd
  const since = sql`now() - make_interval(days => ${crowd.sinceDays}::int)`
  const list = Array.from({ length: crowd.count }, (_none, i) => {
    const name = nameOf(language, crowd.firstNumber + i)
    return { n: firstExternal + i, name, email: addressOf(name, i, domain), ...detailsOf(i, crowd) }
  })
  const people = await rows(
    tx,
    Id,
    sql`insert into users (organization_id, name, email, external_id, phone, language, manager, created_at)
      select ${organizationId}, name, email, 'P-' || n, phone, language, manager, ${since}
      from jsonb_to_recordset(${JSON.stringify(list)}::jsonb) as given(n int, name text, email text, phone text, language text, manager text)
      order by n returning id`,
  )
  const groupIds = await rows(
    tx,
    Id,
    sql`insert into groups (organization_id, name, created_at)
      select ${organizationId}, name, ${since} from unnest(${arrayOf(groups, 'text')}) as given(name) returning id`,
  )
  const placed = place(
    people,
    groupIds.map((group) => group.id),
    crowd.firstNumber,
  )
  const pairs = placed.flatMap((person) => person.groups.map((group) => ({ group, person: person.id })))
  await tx.execute(
    sql`insert into group_members (organization_id, group_id, user_id, created_at)
      select ${organizationId}, g, u, (select created_at from users where id = u) from unnest(${arrayOf(
        pairs.map((pair) => pair.group),
        'uuid',
      )}, ${arrayOf(
        pairs.map((pair) => pair.person),
        'uuid',
      )}) as given(g, u)`,
  )
  return placed
}

type Details = { phone: string | null; language: Language | null; manager: string | null }

/** Numbers that belong to nobody; some read in the other language than their organization writes. */
function detailsOf(i: number, { language, groups }: Crowd): Details {
  const lead = i % groups.length
  return {
    phone: i % 7 === 3 ? null : `+49 30 23125 ${String(i % 1000).padStart(3, '0')}`,
    language: i % 6 === 1 ? (language === 'en' ? 'de' : 'en') : null,
    manager: i < groups.length ? null : `P-${firstExternal + lead}`,
  }
}

/** People who came later than the organization did, so many days ago. */
export async function arriveLater(
  tx: Tx,
  organizationId: string,
  arrivals: readonly { external: number; at: string }[],
): Promise<void> {
  await tx.execute(
    sql`with late as (update users u set created_at = g.at from jsonb_to_recordset(${JSON.stringify(arrivals)}::jsonb) as g(external int, at timestamptz)
        where u.organization_id = ${organizationId} and u.external_id = 'P-' || g.external returning u.id, g.at)
      update group_members m set created_at = late.at from late where m.user_id = late.id`,
  )
}

const plain: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss', ' ': '.' }

function addressOf(name: string, i: number, domain: string): string {
  const local = name.toLowerCase().replaceAll(/[äöüß ]/g, (letter) => plain[letter] ?? letter)
  return `${local}${i >= 90 ? i : ''}@${domain}`
}

function place(people: { id: string }[], groupIds: string[], seed: number): SamplePerson[] {
  const roll = dice(seed + 11)
  return people.map((person, i) => {
    const home = groupIds[i % groupIds.length] ?? ''
    const second = groupIds[Math.floor(roll() * groupIds.length)] ?? home
    return { id: person.id, groups: roll() < 0.2 && second !== home ? [home, second] : [home] }
  })
}
