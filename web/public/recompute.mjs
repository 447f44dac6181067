/**
 * Turns the raw viewing evidence that Sendreel exports (CSV) back into its figures. Needs nothing but Node 20 or a browser:
 *
 *   node recompute.mjs evidence.csv            figures of every viewer and of every video, as JSON
 *   node recompute.mjs evidence.csv --seconds  with the curves, second by second
 *
 * or `import { recompute } from './recompute.mjs'` and call it with the text of the file. Nothing is sent anywhere.
 *
 * How the figures follow from the evidence:
 * - A span is a stretch of media time [start_ms, end_ms) that was played without a break at one rate, and took wall_ms.
 * - It earns credit when it lies in the video, was not faster than max_rate, fits the wall time that it took (750 ms or 5 %), and
 *   was visible, or in a picture in a picture. Neither the wall time of a session's spans nor the time that their media needs may
 *   exceed what had passed since its page was made when they were reported, but for 100 ms of rounding and 0.05 % of drift.
 * - Nothing took place before the page was made.
 * - A moment of a viewer's life counts in one session only: where two overlap, the stretch that began first has it.
 * - Watched is the sum of what earned credit; covered the length of its union; the share is covered by duration_ms.
 * - Completed is when the union, without what is withheld, reached theta × duration_ms (theta of the viewer's newest session), and
 *   everything was done that the video insists on: questions answered, and passed where they have to be (answered_at). These are the questions of the day of the export: whoever had completed
 *   before another one was added keeps that in Sendreel, and does not have it here.
 * - A viewer counts in second s when the union contains the instant s + 0.5 s; a pass is one stretch that contains it.
 * Sessions of programs (flag 2097152) count in nothing.
 */

const roundingMs = 100
const driftShare = 0.0005
const hidden = 1
const pictureInPicture = 4
const program = 1 << 21

/** Rows of RFC 4180 as objects by the names of the first one. */
export function readCsv(text) {
  const rows = [[]]
  let cell = ''
  let quoted = false
  const source = text.replace(/^\uFEFF/, '')
  for (let at = 0; at < source.length; at += 1) {
    const character = source[at]
    if (quoted) {
      if (character !== '"') cell += character
      else if (source[at + 1] === '"') cell += source[(at += 1)]
      else quoted = false
    } else if (character === '"') quoted = true
    else if (character === ',' || character === '\n') {
      rows.at(-1).push(cell.replace(/\r$/, ''))
      cell = ''
      if (character === '\n') rows.push([])
    } else cell += character
  }
  if (cell !== '' || rows.at(-1).length > 0) rows.at(-1).push(cell)
  const [names = [], ...lines] = rows.filter((row) => row.length > 0)
  return lines.map((row) => Object.fromEntries(names.map((name, column) => [name, row[column] ?? ''])))
}

/** One line is one span of one session, or a session without any. */
function sessionsOf(lines) {
  const sessions = new Map()
  for (const line of lines) {
    const session = sessions.get(line.session) ?? {
      id: line.session,
      viewer: line.viewer,
      video: line.video,
      version: line.version,
      startedAt: Date.parse(line.started_at),
      zeroAt: Date.parse(line.zero_at),
      durationMs: Number(line.duration_ms),
      maxRate: Number(line.max_rate),
      theta: Number(line.theta),
      flags: Number(line.flags),
      gates: Number(line.gates),
      answeredAt: line.answered_at === '' ? null : Date.parse(line.answered_at),
      // Files of before had no such column.
      withheld: (line.withheld ?? '')
        .split(' ')
        .filter(Boolean)
        .map((part) => part.split('-').map(Number)),
      spans: [],
    }
    sessions.set(line.session, session)
    if (line.span === '') continue
    session.spans.push({
      i: Number(line.span),
      startMs: Number(line.start_ms),
      endMs: Number(line.end_ms),
      wallMs: Number(line.wall_ms),
      rate: Number(line.rate),
      flags: Number(line.span_flags),
      beganMs: Number(line.began_ms),
      seenMs: Number(line.seen_ms),
    })
  }
  for (const { spans } of sessions.values()) spans.sort((a, b) => a.i - b.i)
  return [...sessions.values()]
}

/** Wall time that the media time of a span needs at its rate. */
const neededBy = ({ startMs, endMs, rate }) =>
  Math.max(1, Math.floor(((endMs - startMs) * 100) / Math.max(rate, 1)))

function isSound({ startMs, endMs, wallMs, rate, flags }, { maxRate }) {
  if (rate < 25 || rate > Math.min(400, maxRate)) return false
  const expected = (wallMs * rate) / 100
  if (Math.abs(endMs - startMs - expected) > Math.max(750, expected * 0.05)) return false
  return (flags & hidden) === 0 || (flags & pictureInPicture) !== 0
}

/** The spans of a session that can have taken place, with their place in time and whether they may earn credit. */
function place(session) {
  const affordable = []
  let [wall, needed] = [0, 0]
  for (const span of session.spans) {
    const needs = neededBy(span)
    const spent = Math.max(wall + span.wallMs, needed + needs)
    const isInside = span.startMs < span.endMs && span.startMs < session.durationMs
    if (!isInside || spent > span.seenMs * (1 + driftShare) + roundingMs) continue
    wall += span.wallMs
    needed += needs
    affordable.push({ session, span, charge: Math.max(span.wallMs, needs) })
  }
  let next = Infinity
  for (const one of affordable.toReversed()) {
    const arrived = session.startedAt + one.span.seenMs
    next = Math.min(session.zeroAt + one.span.beganMs, arrived - one.charge, next - one.charge)
    one.from = Math.max(session.startedAt, next)
  }
  return affordable.filter(({ span }) => isSound(span, session))
}

/** What one viewer's sessions with one video are worth: stretches of media time by session, and the wall time of each session. */
function credit(sessions) {
  const placed = sessions.flatMap(place)
  placed.sort(
    (a, b) =>
      a.from - b.from ||
      (a.session.id < b.session.id ? -1 : a.session.id > b.session.id ? 1 : a.span.i - b.span.i),
  )
  const worth = new Map(sessions.map(({ id }) => [id, { pieces: [], wallMs: 0 }]))
  let used = -Infinity
  for (const { session, span, charge, from } of placed) {
    const taken = Math.max(0, used - from)
    const start = span.startMs + Math.ceil((taken * span.rate) / 100)
    const end = Math.min(span.endMs, session.durationMs)
    used = Math.max(used, from + charge)
    if (start >= span.endMs) continue
    const own = worth.get(session.id)
    own.wallMs += Math.max(0, span.wallMs - taken)
    if (start < end) own.pieces.push({ start, end, from: from + taken, rate: span.rate })
  }
  return worth
}

function unionOf(ranges) {
  const merged = []
  for (const [start, end] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = merged.at(-1)
    if (last && start <= last[1]) last[1] = Math.max(last[1], end)
    else merged.push([start, end])
  }
  return merged
}

const lengthOf = (ranges) => ranges.reduce((sum, [start, end]) => sum + end - start, 0)
const rangesOf = (pieces) => unionOf(pieces.map(({ start, end }) => [start, end]))

/** What of a piece lies in none of these parts, which are sorted and disjoint. */
function without({ start, end, from, rate }, parts) {
  const left = []
  let position = start
  for (const [a, b] of [...parts, [end, end]]) {
    if (Math.min(a, end) > position)
      left.push({
        start: position,
        end: Math.min(a, end),
        from: from + Math.ceil(((position - start) * 100) / rate),
        rate,
      })
    position = Math.max(position, b)
  }
  return left
}

/** When the union of the pieces first held so much; null while it does not. */
function coveredAt(pieces, neededMs) {
  const inOrder = pieces.toSorted((a, b) => a.from - b.from)
  for (let n = 1; n <= inOrder.length; n += 1) {
    if (lengthOf(rangesOf(inOrder.slice(0, n))) < neededMs) continue
    const last = inOrder[n - 1]
    const seen = rangesOf(inOrder.slice(0, n - 1))
    let position = last.start
    let missing = neededMs - lengthOf(seen)
    for (const [start, end] of seen) {
      if (end <= position) continue
      if (start - position >= missing) break
      missing -= Math.max(0, start - position)
      position = end
    }
    return last.from + Math.ceil(((position + missing - last.start) * 100) / last.rate)
  }
  return null
}

function viewerFigures(own) {
  const newest = own.reduce((a, b) => (a.startedAt >= b.startedAt ? a : b))
  const pieces = own.flatMap(({ worth }) => worth.pieces)
  const counting = own.flatMap(({ worth, withheld }) => worth.pieces.flatMap((one) => without(one, withheld)))
  const coverage = rangesOf(pieces)
  const coveredMs = lengthOf(coverage)
  const covered = newest.durationMs > 0 ? coveredAt(counting, newest.theta * newest.durationMs) : null
  const answered = newest.gates === 0 ? covered : newest.answeredAt
  const completed = covered === null || answered === null ? null : Math.max(covered, answered)
  const iso = (at) => (at === null ? null : new Date(Math.round(at)).toISOString())
  return {
    viewer: newest.viewer,
    video: newest.video,
    version: newest.version,
    sessions: own.length,
    watchedMs: pieces.reduce((sum, { start, end }) => sum + end - start, 0),
    wallMs: own.reduce((sum, { worth }) => sum + worth.wallMs, 0),
    coveredMs,
    share: newest.durationMs > 0 ? Math.min(1, coveredMs / newest.durationMs) : 0,
    coverage,
    coveredAt: iso(covered),
    completedAt: iso(completed),
  }
}

const middleFrom = (ms) => Math.max(0, Math.ceil((ms - 500) / 1_000))

/** How many of the ranges contain the middle of each second. */
function curveOf(lists, seconds) {
  const steps = Array.from({ length: seconds + 1 }, () => 0)
  for (const [start, end] of lists.flat()) {
    const [from, to] = [middleFrom(start), Math.min(middleFrom(end), seconds)]
    if (from >= to) continue
    steps[from] += 1
    steps[to] -= 1
  }
  let height = 0
  return steps.slice(0, seconds).map((step) => (height += step))
}

/** Figures by viewer and by version of a video. `seconds`: with the curves of viewers and passes. */
export function recompute(csv, { seconds = false } = {}) {
  const sessions = sessionsOf(readCsv(csv)).filter(({ flags }) => (flags & program) === 0)
  sessions.sort((a, b) => a.startedAt - b.startedAt || (a.id < b.id ? -1 : 1))
  const byViewer = Map.groupBy(sessions, ({ video, viewer }) => `${video} ${viewer}`)
  for (const own of byViewer.values()) {
    const worth = credit(own)
    for (const session of own) session.worth = worth.get(session.id)
  }
  const pairs = Map.groupBy(sessions, ({ version, viewer }) => `${version} ${viewer}`)
  const viewers = [...pairs.values()].map(viewerFigures)
  const versions = [...Map.groupBy(sessions, ({ version }) => version).values()].map((own) => {
    const [{ video, version, durationMs }] = own
    const ofVersion = viewers.filter((one) => one.version === version)
    const length = Math.ceil(durationMs / 1_000)
    const passes = own.map(({ worth }) => worth.pieces.map(({ start, end }) => [start, end]))
    const curves = {
      viewersBySecond: curveOf(
        ofVersion.map(({ coverage }) => coverage),
        length,
      ),
      passesBySecond: curveOf(passes, length),
    }
    const figures = {
      video,
      version,
      durationMs,
      sessions: own.length,
      viewers: ofVersion.length,
      watchedMs: ofVersion.reduce((sum, { watchedMs }) => sum + watchedMs, 0),
      completed: ofVersion.filter(({ completedAt }) => completedAt !== null).length,
    }
    return seconds ? Object.assign(figures, curves) : figures
  })
  return { viewers, versions }
}

if (typeof process !== 'undefined' && process.argv[1]?.endsWith('recompute.mjs')) {
  const { readFileSync } = await import('node:fs')
  const file = process.argv.slice(2).find((argument) => !argument.startsWith('--'))
  if (file === undefined)
    throw new Error('Name the exported file: node recompute.mjs evidence.csv [--seconds]')
  const figures = recompute(readFileSync(file, 'utf8'), { seconds: process.argv.includes('--seconds') })
  console.log(JSON.stringify(figures, null, 2))
}
