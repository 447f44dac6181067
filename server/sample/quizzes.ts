import { randomUUID } from 'node:crypto'
import * as z from 'zod/mini'
import {
  defaultQuizSettings,
  type Answer,
  type QuizDraft,
  type QuizQuestion,
} from '#contract/quizzes/quizzes.ts'
import { hasRow, row, rows, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import type { Services } from '../platform/http/services.ts'
import { PlayClaims } from '../tracking/ingest/token.ts'
import { keepAnswer } from '../quizzes/answers.ts'
import { findCurrent, startRun } from '../quizzes/attempts.ts'
import { addVersion } from '../quizzes/publish.ts'
import { findQuiz, saveDraft } from '../quizzes/queries.ts'
import { retakeAt, type Item, type AttemptRun } from '../quizzes/run.ts'
import { dice } from './plan.ts'

/** Times as shares of the video; right answers begin with *. */
type Sketch = Partial<QuizQuestion> & {
  prompt: string
  at?: number
  taught?: [number, number]
  answers?: string[]
}

const forklift: Sketch[] = [
  {
    prompt: 'What do you look at first, before the first lift of the day?',
    at: 0.35,
    taught: [0.1, 0.35],
    gate: true,
    answers: ['*Forks, chains and tyres', 'The seat', 'The radio', 'Nothing: the last driver has done it'],
    whenWrong: 'Watch the first round around the truck again.',
  },
  {
    kind: 'multiple',
    prompt: 'Which of these put a truck out of service?',
    at: 0.6,
    taught: [0.35, 0.6],
    points: 2,
    shuffle: true,
    answers: ['*Oil below the mast', '*Brakes that drag', 'A scratched mirror', '*A bent fork'],
  },
  {
    kind: 'true_false',
    prompt: 'Somebody may ride along on the step for a short way.',
    at: 0.8,
    taught: [0.6, 0.8],
    gate: true,
    answers: ['True', '*False'],
  },
  {
    kind: 'number',
    prompt: 'How many metres do you keep away from people on foot, at least?',
    taught: [0.8, 0.95],
    number: { value: 2, tolerance: 0 },
  },
  {
    kind: 'text',
    prompt: 'Where do you write down what you have found?',
    texts: ['Logbook', 'Log book', 'In the logbook'],
  },
]

const hygiene: Sketch[] = [
  {
    prompt: 'How long do you rub your hands?',
    at: 0.4,
    taught: [0.1, 0.4],
    gate: true,
    answers: ['5 seconds', '*20 to 30 seconds', 'Two minutes'],
  },
  {
    kind: 'multiple',
    prompt: 'When do you clean your hands?',
    at: 0.75,
    taught: [0.4, 0.75],
    points: 2,
    answers: [
      '*Before you touch a patient',
      '*After you touched their surroundings',
      'Only when they look dirty',
    ],
  },
  { kind: 'number', prompt: 'How many moments are there?', number: { value: 5, tolerance: 0 } },
]

const licence: Sketch[] = [
  {
    prompt: 'How often is the licence renewed?',
    taught: [0.1, 0.4],
    answers: ['*Once a year', 'Every three years', 'Never'],
  },
  {
    kind: 'true_false',
    prompt: 'Whoever changes to another kind of truck is shown how it is driven first.',
    taught: [0.4, 0.7],
    answers: ['*True', 'False'],
  },
  {
    prompt: 'Who may take the key out of the box?',
    taught: [0.7, 0.95],
    answers: ['*Whoever is on the list of drivers', 'Whoever needs a truck'],
  },
]

const plans: Record<string, Sketch[]> = {
  'Forklift licence: the yearly refresher': licence,
  'Forklift safety: the daily check': forklift,
  'Hand hygiene in five moments': hygiene,
}

function questionOf(sketch: Sketch, durationMs: number): QuizQuestion {
  const { at, taught, answers = [], ...rest } = sketch
  const ms = (share: number) => Math.round(share * durationMs)
  const teaches: QuizQuestion['teaches'] = taught ? [ms(taught[0]), ms(taught[1])] : null
  const options = answers.map((text) => ({
    id: randomUUID(),
    text: text.replace('*', ''),
    correct: text.startsWith('*'),
    feedback: null,
  }))
  const plain = { kind: 'single', points: 1, gate: false, number: null, texts: [], shuffle: false } as const
  const atMs = at === undefined ? null : ms(at)
  const backToMs = at !== undefined && teaches ? teaches[0] : null
  return {
    ...plain,
    whenRight: null,
    whenWrong: null,
    key: randomUUID(),
    ...rest,
    texts: rest.texts ?? [],
    options,
    atMs,
    teaches,
    backToMs,
  }
}

const SampleVideo = z.object({ organizationId: z.string(), videoId: z.string(), durationMs: z.number() })
type SampleVideo = z.infer<typeof SampleVideo>

/** Asks questions in some videos. To be called before their viewing is aggregated: who fails them has not completed the video. */
export async function askQuestions(services: Services, organizationId: string): Promise<void> {
  for (const [title, sketches] of Object.entries(plans))
    await services.db.as({ organizationId }, async (tx) => {
      const video = await findSample(tx, organizationId, title)
      if (!video || (await findQuiz(tx, video.videoId))) return
      const settings = { ...defaultQuizSettings, passMark: 0.7, attempts: 3 }
      const questions = sketches.map((sketch) => questionOf(sketch, video.durationMs))
      await publishLongAgo(tx, video, { settings, questions })
    })
}

/** Lets those who watched these videos answer. To be called when their viewing has been aggregated. */
export async function answerQuestions(services: Services, organizationId: string): Promise<void> {
  for (const title of Object.keys(plans))
    await services.db.as({ organizationId }, async (tx) => {
      const video = await findSample(tx, organizationId, title)
      const quiz = video && (await findQuiz(tx, video.videoId))
      const answered = sql`select 1 from quiz_attempts where quiz_id = ${quiz?.id ?? null}::uuid limit 1`
      if (quiz && !(await hasRow(tx, answered))) await answerAll(tx, video, quiz.id)
    })
}

function findSample(tx: Tx, organizationId: string, title: string): Promise<SampleVideo | undefined> {
  return row(
    tx,
    SampleVideo,
    sql`select v.organization_id as "organizationId", v.id as "videoId", n.duration_ms as "durationMs"
      from videos v join video_versions n on n.id = v.current_version_id
      where v.organization_id = ${organizationId} and v.title = ${title} and v.deleted_at is null`,
  )
}

async function publishLongAgo(tx: Tx, video: SampleVideo, draft: QuizDraft): Promise<void> {
  const { organizationId, videoId } = video
  await saveDraft(tx, video, { draft, by: null })
  const quizId = (await findQuiz(tx, videoId))?.id ?? ''
  const { id } = await addVersion(tx, { organizationId, quizId, draft, publishedBy: null })
  await tx.execute(
    sql`update quiz_versions set published_at = v.created_at + interval '1 day' from videos v
      where quiz_versions.id = ${id} and v.id = ${videoId}`,
  )
}

const Sitting = z.extend(z.pick(PlayClaims, { session: true, viewerKey: true, version: true }), {
  transmission: z.string(),
  delivery: z.string(),
  startedAt: z.number(),
  /** How far the viewer came, in media milliseconds. */
  reached: z.number(),
})
type Sitting = z.infer<typeof Sitting>

/** One sitting after the other, as they took place. Several begin at one instant, and all share the dice: ids of sittings are chance, people are not. */
async function answerAll(
  tx: Tx,
  { organizationId, videoId, durationMs }: SampleVideo,
  quizId: string,
): Promise<void> {
  const sittings = await rows(
    tx,
    Sitting,
    sql`select id as session, viewer_key as "viewerKey", version_id as version, transmission_id as transmission,
        delivery_id as delivery, extract(epoch from started_at)::float8 * 1000 as "startedAt", coalesce(upper(coverage), 0) as reached
      from play_sessions where video_id = ${videoId} and delivery_id is not null order by started_at, viewer_key, id`,
  )
  const roll = dice(7)
  const skills = new Map<string, number>()
  const runs = new Map<string, AttemptRun>()
  for (const { startedAt, reached, ...sitting } of sittings) {
    const life = { kind: 'recipient', iat: startedAt, exp: startedAt, maxRate: 2, theta: 0.95 } as const
    const claims = { ...sitting, ...life, org: organizationId, video: videoId, durMs: durationMs }
    const skill = skills.get(sitting.viewerKey) ?? roll() * 0.8 - 0.4
    skills.set(sitting.viewerKey, skill)
    const earlier = runs.get(sitting.viewerKey)
    const again = earlier !== undefined && earlier.completedAt !== null
    if (again && (retakeAt(earlier)?.getTime() ?? Infinity) > startedAt) continue
    const quiz = await findCurrent(tx, claims, quizId)
    let run = await startRun(tx, { claims, quiz, again, now: new Date(startedAt) })
    for (const item of run.items) {
      const at = item.question.atMs ?? durationMs * 0.97
      if (at > reached || run.answers.some(({ itemId }) => itemId === item.id)) continue
      const tookMs = Math.round(3_000 + roll() ** 2 * 20_000)
      const reply = { itemId: item.id, try: 1, answer: guess(item, skill, roll) }
      run = await keepAnswer(tx, { run, claims, reply, tookMs, now: new Date(startedAt + at + 30_000) })
    }
    runs.set(sitting.viewerKey, run)
  }
}

export type AnswerAll = { claims: PlayClaims; isRight: boolean; at: Date }

/** Somebody answers every question of a video, for the first time or again. */
export async function answerEach(tx: Tx, { claims, isRight, at }: AnswerAll): Promise<void> {
  const asked = await findQuiz(tx, claims.video)
  if (!asked) return
  const quiz = await findCurrent(tx, claims, asked.id)
  const earlier = await startRun(tx, { claims, quiz, again: false, now: at })
  let run =
    earlier.completedAt === null ? earlier : await startRun(tx, { claims, quiz, again: true, now: at })
  for (const { id, question } of run.items) {
    const chosen = question.options.find(({ correct }) => correct === isRight)
    const reply = { itemId: id, try: 1, answer: [chosen?.id ?? ''] }
    run = await keepAnswer(tx, { run, claims, reply, tookMs: 6_000, now: at })
  }
}

/** Harder ones come later, and nobody knows everything. */
function guess({ position, question }: Item, skill: number, roll: () => number): Answer {
  const knows = (ease: number) => roll() < ease - position * 0.06 + skill
  const { kind, options, number, texts } = question
  if (kind === 'number')
    return knows(0.65) ? `${number?.value ?? 0}` : (['1', '3', '5', '10'][Math.floor(roll() * 4)] ?? '1')
  if (kind === 'text')
    return knows(0.8) ? (texts[0] ?? '') : (['Nowhere', 'email', 'whiteboard'][Math.floor(roll() * 3)] ?? '')
  if (kind === 'multiple') {
    const chosen = options.filter(({ correct }) => correct === knows(0.85)).map(({ id }) => id)
    return chosen.length > 0 ? chosen : options.slice(0, 1).map(({ id }) => id)
  }
  const wrong = options.filter(({ correct }) => !correct)
  const right = options.find(({ correct }) => correct)
  const chosen = knows(0.85) ? right : (wrong[Math.floor(roll() ** 2 * wrong.length)] ?? right)
  return [chosen?.id ?? '']
}
