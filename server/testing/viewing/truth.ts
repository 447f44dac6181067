import type { TrackEvent } from '#contract/tracking/tracks.ts'
import type { PlayClaims } from '../../tracking/ingest/token.ts'
import type { Truth } from './viewers.ts'

/** What really happened in one session, and which of its batches arrived. */
export type TrueSession = {
  claims: PlayClaims
  watched: Truth[]
  events: TrackEvent[]
  /** Where it stopped, in milliseconds of the video. */
  position: number
  impressed: boolean
  program: boolean
  capped: boolean
  /** Numbers of the batches that arrived, as often as they did. */
  batches: number[]
}

type Query = <Row extends object>(text: string, values?: unknown[]) => Promise<Row[]>
type Curves = Record<(typeof heatColumns)[number], Int32Array>
type DayCurves = Record<(typeof dayColumns)[number], Int32Array>

const heatColumns = ['viewers', 'passes', 'seekIn', 'seekOut', 'pauses', 'exits'] as const
const dayColumns = ['sessions', 'passes', 'seekIn', 'seekOut', 'pauses', 'exits'] as const
const viewerDayColumns = ['sessions', 'plays', 'watch_ms', 'wall_ms'] as const
const rollupColumns = [
  'watch_ms',
  'plays',
  'sessions',
  'impressions',
  'anonymous',
  'bots',
  'capped',
  'refused',
  'batches_seen',
  'batches_expected',
]

const audienceColumns = [
  'impressions',
  'plays',
  'seen_plays',
  'watch_ms',
  'wall_ms',
  'covered_ms',
  'quarter',
  'half',
  'three_quarters',
  'whole',
  'viewers',
  'named',
  'seeing',
  'seeing_viewers',
]

/**
 * Every sum over viewing once more, by brute force: each second of each session is looked at. Shares no line with the aggregation.
 * `add` takes all sessions of one viewer; `faults` compares with what is stored and says what differs.
 */
export function openBooks() {
  const heat = { curves: new Map<string, Curves>(), names: heatColumns }
  const heatDays = { curves: new Map<string, DayCurves>(), names: dayColumns }
  const viewerDays = new Map<string, number[]>()
  const rollups = new Map<string, number[]>()
  const audience = new Map<string, number[]>()
  const coverages = new Map<string, number>()

  function add(sessions: TrueSession[]): void {
    for (const session of sessions) {
      addToDay(rollups, session)
      if (session.program) continue
      addToViewerDay(viewerDays, session)
      addToAudience(audience, session)
      addToCurves(session)
    }
    const people = sessions.filter(({ program }) => !program)
    addViewer(people)
    addLastDays(audience, people)
  }

  function addToCurves({ claims, watched, events, position }: TrueSession): void {
    const curves = curvesOf(heat, claims)
    const day = curvesOf(heatDays, claims, dayOf(claims))
    const stretches = credited(claims, watched)
    for (let s = 0; s < secondsOf(claims); s++) {
      let times = 0
      for (const one of stretches) if (holds(one, s)) times += 1
      if (times === 0) continue
      add1(curves.passes, s, times)
      add1(day.passes, s, times)
      add1(day.sessions, s, 1)
    }
    for (const { exits, pauses, seekIn, seekOut } of [curves, day]) {
      if (stretches.length > 0) add1(exits, secondAt(claims, position), 1)
      for (const [, type, , at, data] of events) {
        if (type === 'pause') add1(pauses, secondAt(claims, at), 1)
        if (type !== 'seek') continue
        add1(seekOut, secondAt(claims, Number(data?.['from'])), 1)
        add1(seekIn, secondAt(claims, Number(data?.['to'])), 1)
      }
    }
  }

  function addViewer(sessions: TrueSession[]): void {
    const [first] = sessions
    if (!first) return
    const { claims } = first
    const stretches = sessions.flatMap((one) => credited(one.claims, one.watched))
    const { viewers } = curvesOf(heat, claims)
    for (let s = 0; s < secondsOf(claims); s++)
      add1(viewers, s, Number(stretches.some((one) => holds(one, s))))
    coverages.set(`${claims.version} ${claims.viewerKey}`, coveredMs(stretches))
  }

  /** Sentences; none when everything that is stored about these videos is right. */
  async function faults(query: Query, videoIds: string[]): Promise<string[]> {
    return [
      ...(await heatFaults(query, videoIds, heat.curves)),
      ...(await dayFaults(query, videoIds, heatDays.curves)),
      ...compare(
        'viewer_days',
        viewerDays,
        await keyed(query, { table: 'viewer_days', videoIds, columns: viewerDayColumns }),
      ),
      ...compare(
        'day_rollups',
        rollups,
        await keyed(query, { table: 'day_rollups', videoIds, columns: rollupColumns }),
      ),
      ...compare('audience_days', audience, await audienceOf(query, videoIds)),
      ...(await coverageFaults(query, videoIds, coverages)),
    ]
  }
  return { add, faults }
}

const add1 = (curve: Int32Array, at: number, n: number) => {
  curve[at] = (curve[at] ?? 0) + n
}
const dayOf = ({ iat }: PlayClaims) => new Date(iat).toISOString().slice(0, 10)
const secondsOf = ({ durMs }: PlayClaims) => Math.ceil(durMs / 1000)
const secondAt = (claims: PlayClaims, ms: number) => Math.min(secondsOf(claims) - 1, Math.floor(ms / 1000))
const holds = ({ start, end }: Truth, s: number) => start <= s * 1000 + 500 && s * 1000 + 500 < end
const earns = ({ maxRate }: PlayClaims, { rate, flags }: Truth) => rate <= maxRate * 100 && (flags & 1) === 0
const credited = (claims: PlayClaims, watched: Truth[]) => watched.filter((one) => earns(claims, one))

/** From one border to the next: covered while more stretches have begun than ended. */
function coveredMs(stretches: Truth[]): number {
  const borders = stretches.flatMap(({ start, end }) => [
    { at: start, step: 1 },
    { at: end, step: -1 },
  ])
  let [covered, open, since] = [0, 0, 0]
  for (const { at, step } of borders.toSorted((a, b) => a.at - b.at)) {
    if (open > 0) covered += at - since
    open += step
    since = at
  }
  return covered
}

function curvesOf<Name extends string>(
  books: { curves: Map<string, Record<Name, Int32Array>>; names: readonly Name[] },
  claims: PlayClaims,
  day = '',
): Record<Name, Int32Array> {
  const key = `${claims.version} ${day}`.trim()
  const known = books.curves.get(key)
  if (known) return known
  const made = Object.fromEntries(
    books.names.map((name) => [name, new Int32Array(secondsOf(claims))]),
  ) as Record<Name, Int32Array>
  books.curves.set(key, made)
  return made
}

function addTo(sums: Map<string, number[]>, key: string, values: number[]): void {
  const known = sums.get(key)
  sums.set(key, known ? known.map((value, n) => value + (values[n] ?? 0)) : values)
}

function addToViewerDay(sums: Map<string, number[]>, { claims, watched }: TrueSession): void {
  const earned = credited(claims, watched)
  const watch = earned.reduce((sum, { start, end }) => sum + end - start, 0)
  const wall = earned.reduce((sum, one) => sum + one.wall, 0)
  const key = `${claims.org} ${dayOf(claims)} ${claims.video} ${claims.viewerKey}`
  addTo(sums, key, [1, Number(earned.length > 0), watch, wall])
}

function addToDay(sums: Map<string, number[]>, session: TrueSession): void {
  const { claims, watched, impressed, program, capped, batches } = session
  const earned = credited(claims, watched)
  const key = `${claims.org} ${dayOf(claims)} ${claims.video}`
  if (program) return addTo(sums, key, [0, 0, 0, 0, 0, 1, 0, 0, 0, 0])
  addTo(sums, key, [
    earned.reduce((sum, { start, end }) => sum + end - start, 0),
    Number(earned.length > 0),
    1,
    Number(impressed),
    Number(claims.kind === 'visitor'),
    0,
    Number(capped),
    Number(earned.length < watched.length),
    new Set(batches).size,
    // What is lost on the way comes again with a later one.
    new Set(batches).size,
  ])
}

/** What a session of a person adds to the figures of its version and day. */
function addToAudience(sums: Map<string, number[]>, { claims, watched, impressed }: TrueSession): void {
  const earned = credited(claims, watched)
  const last = Math.min(
    claims.durMs - 1,
    (Math.max(1, Math.ceil((claims.durMs - 500) / 1000)) - 1) * 1000 + 500,
  )
  const instants = [1, 2, 3].map((n) => Math.floor((claims.durMs * n) / 4))
  const [plays, seen] = [Number(earned.length > 0), Number(impressed)]
  addTo(sums, `${claims.version} ${dayOf(claims)}`, [
    seen,
    plays,
    seen * plays,
    earned.reduce((sum, { start, end }) => sum + end - start, 0),
    earned.reduce((sum, one) => sum + one.wall, 0),
    coveredMs(earned),
    ...[...instants, last].map((at) => Number(earned.some(({ start, end }) => start <= at && at < end))),
    0,
    0,
    0,
    0,
  ])
}

/** A viewer stands at the last day of each kind of their sessions. */
function addLastDays(sums: Map<string, number[]>, sessions: TrueSession[]): void {
  const played = sessions.filter(({ claims, watched }) => credited(claims, watched).length > 0)
  const known = played.filter(({ claims }) => claims.kind !== 'visitor')
  const seen = sessions.filter(({ impressed }) => impressed)
  const both = seen.filter((one) => played.includes(one))
  for (const [n, own] of [played, known, seen, both].entries()) {
    const last = own.toSorted((a, b) => a.claims.iat - b.claims.iat).at(-1)
    if (!last) continue
    const values = audienceColumns.map((_name, column) => Number(column === 10 + n))
    addTo(sums, `${last.claims.version} ${dayOf(last.claims)}`, values)
  }
}

async function audienceOf(query: Query, videoIds: string[]): Promise<Map<string, number[]>> {
  const found = await query<{ key: string; sums: number[] }>(
    `select version_id || ' ' || day as key, array[${audienceColumns.join(', ')}]::float8[] as sums from audience_days where video_id = any($1)`,
    [videoIds],
  )
  return new Map(found.map(({ key, sums }) => [key, sums]))
}

type Sorted = { table: string; videoIds: string[]; columns: readonly string[] }

async function keyed(query: Query, { table, videoIds, columns }: Sorted): Promise<Map<string, number[]>> {
  const whose = table === 'viewer_days' ? `|| ' ' || viewer_key` : ''
  const found = await query<{ key: string; sums: number[] }>(
    `select organization_id || ' ' || day || ' ' || video_id ${whose} as key, array[${columns.join(', ')}]::float8[] as sums
      from ${table} where video_id = any($1)`,
    [videoIds],
  )
  return new Map(found.map(({ key, sums }) => [key, sums]))
}

function compare(name: string, wanted: Map<string, number[]>, stored: Map<string, number[]>): string[] {
  const faults: string[] = []
  for (const key of new Set([...wanted.keys(), ...stored.keys()])) {
    const [a, b] = [wanted.get(key)?.join(), stored.get(key)?.join()]
    if (a !== b) faults.push(`${name} ${key}: ${b ?? 'nothing'} instead of ${a ?? 'nothing'}`)
  }
  return faults
}

async function heatFaults(query: Query, videoIds: string[], wanted: Map<string, Curves>): Promise<string[]> {
  const found = await query<{ key: string; sec: number } & Record<keyof Curves, number>>(
    `select version_id as key, sec,
        (sum(viewers_delta) over curve)::int as viewers, (sum(passes_delta) over curve)::int as passes,
        seek_in as "seekIn", seek_out as "seekOut", pauses, exits
      from video_heat where video_id = any($1) window curve as (partition by version_id order by sec) order by 1, sec`,
    [videoIds],
  )
  return curveFaults('video_heat', wanted, { found, running: ['viewers', 'passes'] })
}

async function dayFaults(query: Query, videoIds: string[], wanted: Map<string, DayCurves>) {
  const found = await query<{ key: string; sec: number } & Record<keyof DayCurves, number>>(
    `select version_id || ' ' || day as key, sec,
        (sum(sessions_delta) over curve)::int as sessions, (sum(passes_delta) over curve)::int as passes,
        seek_in as "seekIn", seek_out as "seekOut", pauses, exits
      from video_heat_days where video_id = any($1) window curve as (partition by version_id, day order by sec) order by 1, sec`,
    [videoIds],
  )
  return curveFaults('video_heat_days', wanted, { found, running: ['sessions', 'passes'] })
}

/** Second by second. Between two rows a running sum stays, a plain count is zero. */
function curveFaults<Name extends string>(
  table: string,
  wanted: Map<string, Record<Name, Int32Array>>,
  {
    found,
    running,
  }: { found: ({ key: string; sec: number } & Record<Name, number>)[]; running: readonly Name[] },
): string[] {
  const stored = Map.groupBy(found, ({ key }) => key)
  const faults: string[] = []
  for (const [key, curves] of wanted) {
    const rows = new Map(stored.get(key)?.map((one) => [one.sec, one]))
    for (const [name, curve] of Object.entries<Int32Array>(curves)) {
      let now = 0
      for (const [s, value] of curve.entries()) {
        const at = rows.get(s)?.[name as Name]
        now = at ?? (running.includes(name as Name) ? now : 0)
        if (now !== value) faults.push(`${table} ${key}, second ${s}: ${now} instead of ${value} for ${name}`)
      }
    }
  }
  for (const key of stored.keys()) if (!wanted.has(key)) faults.push(`${table} ${key} stands for nobody`)
  return faults
}

async function coverageFaults(query: Query, videoIds: string[], wanted: Map<string, number>) {
  const found = await query<{ key: string; covered: number }>(
    `select version_id || ' ' || viewer_key as key, covered_ms as covered from viewer_videos where video_id = any($1)`,
    [videoIds],
  )
  const stored = new Map(found.map(({ key, covered }) => [key, [covered]]))
  return compare('viewer_videos', new Map([...wanted].map(([key, covered]) => [key, [covered]])), stored)
}
